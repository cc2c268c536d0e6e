"""`ones_like(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.creation import ConstantLike
from shapescript_check.types.intervals import Interval

OPERATION = ConstantLike(
    "ones_like",
    "fn ones_like(x: Any) -> Any",
    "Ones in the shape and dtype of another value; true everywhere in those of a mask.",
    """\
dim Steps = 8

## The mean of each value of a sequence and all before it.
fn running_mean(x: [b Steps]) -> [b Steps]:
    return cumsum(x, over=Steps) / cumsum(ones_like(x), over=Steps)
""",
    value=Interval.ONE,
)
