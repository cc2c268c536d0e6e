"""`x != y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    "!=",
    "True where two numbers, or two masks, differ.",
    """\
fn disagreements(first: [n m] Mask, second: [n m] Mask) -> [n m] Mask = first != second
""",
    masks=True,
)
