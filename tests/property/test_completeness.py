"""A program with one size, name or axis changed is refused, or is as sound as any other."""

from __future__ import annotations

import random
import re

import pytest

from tests.property.mutations import mutated
from tests.property.programs import write
from tests.property.running import check, fault

_NOT_THERE = re.compile(r"index -?\d+ is out of bounds for dimension \d+ with size")
"""What torch says of a position that an axis of unknown size doesn't have."""

PROGRAMS = 300
CHUNK = 50
MUTATIONS = 4


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_changed_programs_are_refused_or_right(first: int) -> None:
    refused = accepted = 0
    for seed in range(first, first + CHUNK):
        written = write(seed)
        rng = random.Random(f"mutation {seed}")
        for _ in range(MUTATIONS):
            text = mutated(written.text, rng)
            if text is None or text == written.text:
                continue
            program = check(text)
            for diagnostic in program.diagnostics:
                assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text), text
            if program.has_errors:
                refused += 1
                continue
            accepted += 1
            found = fault(text, written.main, seed, runs=2, program=program)
            assert found is None or _NOT_THERE.search(found.message), f"{found}\n\n{text}"
    # Most words can't be another, and a generic axis may as well have another name.
    assert refused > accepted / 2 > 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("y = reduce(nothing, m n -> n, sum)", "E0301"),
        ("y = rearrange(x, m n -> n k)", "E0405"),
        ("y = rearrange(x, m n -> n m) |> sum(over=q)", "E0405"),
    ],
)
def test_what_is_refused_in_a_loop_is_said(body: str, code: str) -> None:
    # A loop's body is checked several times, only the last of them aloud.
    program = check(f"fn main(x: [m n]) -> [m n]:\n    for i in 0..3:\n        {body}\n    return x\n")
    assert [d.code for d in program.diagnostics] == [code]
