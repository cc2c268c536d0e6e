"""The tree of each construct, in `trees.md`."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapescript_syntax.dump import dump
from tests.syntax.snapshots import UPDATING, cases, update
from tests.syntax.walking import check_everything

TREES = Path(__file__).parent / "trees.md"


def tree_of(program: str) -> str:
    parsed = check_everything(program)
    return "".join(dump(item) + "\n" for _, chunk in parsed.placed for item in chunk.items)


if UPDATING:
    update(TREES, "tree", tree_of)


@pytest.mark.parametrize(
    ("program", "expected"),
    [pytest.param(p, e, id=f"{i} {title}") for i, (title, p, e) in enumerate(cases(TREES))],
)
def test_a_program_has_this_tree(program: str, expected: str) -> None:
    assert tree_of(program) == expected
