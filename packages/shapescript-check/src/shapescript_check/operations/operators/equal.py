"""`x == y`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Comparison

OPERATION = Comparison(
    "==",
    "True where two numbers, or two masks, are equal.",
    """\
fn hits(guess: [n] i64, answer: [n] i64) -> [n] Mask = guess == answer
""",
    masks=True,
)
