"""`ones([b D])`."""

from __future__ import annotations

from shapescript_check.operations.families.creation import Constant
from shapescript_check.types.intervals import Interval

OPERATION = Constant(
    "ones",
    "fn ones(shape: Shape) -> [...]",
    "A tensor of ones, in f32. The shape is written as in a type.",
    """\
dim Inputs = 3

## Inputs with a last feature that is always 1, so that a matrix has a bias among its rows.
fn with_bias(x: [n Inputs]) -> [n Inputs+1] = cat(x, ones([n 1]), over=Inputs)
""",
    value=Interval.ONE,
)
