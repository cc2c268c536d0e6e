"""`x >= y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    ">=",
    "True where the first number is at least the second.",
    """\
fn confident(p: [n] Unit) -> [n] Mask = p >= 0.9
""",
)
