"""`ones_like(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.creation import ConstantLike
from shapescript_check.types.intervals import Interval

OPERATION = ConstantLike(
    "ones_like",
    "fn ones_like(x: Any) -> Any",
    "Ones in the shape and dtype of another value; true everywhere in those of a mask.",
    """\
dim Bins = 6

## How many of a row's events fall into each bin.
fn histogram(events: [n] Index[Bins], weights: [n]) -> [Bins]:
    return index_add(zeros([Bins]), events, ones_like(weights), over=Bins)
""",
    value=Interval.ONE,
)
