"""`x < y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    "<",
    "True where the first number is below the second.",
    """\
fn cold(readings: [station hour], limit: [station]) -> [station hour] Mask = readings < limit
""",
)
