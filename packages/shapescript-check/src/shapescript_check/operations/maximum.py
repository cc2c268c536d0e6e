"""`maximum(x, y)`."""

from __future__ import annotations

from shapescript_check.operations.families.extremes import Extreme
from shapescript_check.types import intervals

OPERATION = Extreme(
    "maximum",
    "fn maximum(x: Real, y: Real) -> Real",
    "The larger of two values, element by element. For the largest along an axis, use max.",
    """\
fn upper_envelope(day: [n], night: [n]) -> [n] = maximum(day, night)
""",
    transfer=intervals.maximum,
    template="torch.maximum(x, y)",
    bound="min",
)
