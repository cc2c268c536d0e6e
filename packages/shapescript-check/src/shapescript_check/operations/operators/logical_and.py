"""`x and y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Logic

OPERATION = Logic(
    "and",
    "True where both masks are.",
    """\
fn between(x: [n], low: float, high: float) -> [n] Mask = x > low and x < high
""",
    template="x & y",
)
