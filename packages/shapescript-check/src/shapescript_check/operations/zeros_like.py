"""`zeros_like(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.creation import ConstantLike
from shapescript_check.types.intervals import Interval

OPERATION = ConstantLike(
    "zeros_like",
    "fn zeros_like(x: Any) -> Any",
    "Zeros in the shape and dtype of another value; false everywhere in those of a mask.",
    """\
## What is above a threshold, and nothing else.
fn sparkle(brightness: [h w] Unit, threshold: float) -> [h w] Unit:
    return where(brightness > threshold, brightness, zeros_like(brightness))
""",
    value=Interval.ZERO,
)
