"""`minimum(x, y)`."""

from __future__ import annotations

from shapescript_check.operations.families.extremes import Extreme
from shapescript_check.types import intervals

OPERATION = Extreme(
    "minimum",
    "fn minimum(x: Real, y: Real) -> Real",
    "The smaller of two values, element by element. For the smallest along an axis, use min.",
    """\
fn capped(speed: [car step], limit: [step]) -> [car step] = minimum(speed, limit)
""",
    transfer=intervals.minimum,
    template="torch.minimum(x, y)",
    bound="max",
)
