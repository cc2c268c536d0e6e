"""`x <= y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    "<=",
    "True where the first number is at most the second.",
    """\
fn within(distance: [n m] NonNeg, radius: float) -> [n m] Mask = distance <= radius
""",
)
