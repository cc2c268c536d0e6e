"""`zeros([b D])`."""

from __future__ import annotations

from shapescript_check.operations.families.creation import Constant
from shapescript_check.types.intervals import Interval

OPERATION = Constant(
    "zeros",
    "fn zeros(shape: Shape) -> [...]",
    "A tensor of zeros, in f32. The shape is written as in a type.",
    """\
dim Channels = 4

## A silent step in front of every sequence.
fn padded(x: [b t Channels]) -> [b t+1 Channels] = cat(zeros([b 1 Channels]), x, over=t)
""",
    value=Interval.ZERO,
)
