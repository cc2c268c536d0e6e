"""`x > y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    ">",
    "True where the first number is above the second.",
    """\
fn active(x: [n m]) -> [n m] Binary = x > 0.0 |> to Binary
""",
)
