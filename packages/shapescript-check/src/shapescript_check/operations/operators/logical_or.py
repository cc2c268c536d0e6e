"""`x or y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Logic

OPERATION = Logic(
    "or",
    "True where either mask is, or both are.",
    """\
fn extreme(x: [n m]) -> [n m] Mask = x < -3.0 or x > 3.0
""",
    template="x | y",
)
