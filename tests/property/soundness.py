"""Holds what the checker infers of random programs against what torch computes.

    python -m tests.property.soundness --programs 100000 [--seed N] [--keep-going]

Each program has a seed of its own, counted up from `--seed`, so a run that was broken off goes on from the seed that
it said last, and a program that failed is found again by its seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

import torch

from tests.property.minimizing import minimized
from tests.property.programs import Counts, Written, write
from tests.property.running import Fault, check, fault


class Failure(Exception):
    """A program that isn't what the checker says of it."""


def problem(written: Written) -> Fault | None:
    """What is wrong with a program; None where nothing is."""
    program = check(written.text)
    if program.has_errors:
        found = "; ".join(f"{d.code} {d.message}" for d in program.diagnostics if d.severity == "error")
        return Fault(f"each statement checks, and the whole program doesn't: {found}")
    return fault(written.text, written.main, written.seed, program=program)


def described(written: Written, found: Fault) -> str:
    """A failure for a person to read: a smaller program that has it, and what it was run on."""
    small, again = minimized(written, found)
    given = "".join(f"    {_shown(a)}\n" for a in again.arguments or ())
    return f"seed {written.seed}: {again.message}\n\n{small}\n{given}"


def _shown(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    values = repr(value.tolist())
    return f"{tuple(value.shape)} {value.dtype}: {values if len(values) < 200 else values[:200] + '...'}"


def failures(seeds: range, counts: Counts) -> Iterator[tuple[int, str | None]]:
    """For each seed, what is wrong with its program, if anything."""
    for seed in seeds:
        written = write(seed, counts)
        found = problem(written)
        yield seed, described(written, found) if found is not None else None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Soundness of the checker, on random programs.")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed")
    parser.add_argument("--keep-going", action="store_true", help="go on after a failure")
    options = parser.parse_args(arguments)
    counts, wrong, started = Counts(), 0, time.monotonic()
    for seed, failure in failures(range(options.seed, options.seed + options.programs), counts):
        if failure is not None:
            wrong += 1
            print(failure, "-" * 80, sep="\n", flush=True)
            if not options.keep_going:
                return 1
        done = seed - options.seed + 1
        if done % 500 == 0 or done == options.programs:
            rate = done / (time.monotonic() - started)
            accepted = counts.accepted / max(counts.tried, 1)
            print(
                f"{done} programs, {wrong} wrong, {rate:.0f} a second, {accepted:.0%} of statements accepted; "
                f"next: --seed {seed + 1}",
                file=sys.stderr,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
