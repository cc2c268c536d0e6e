"""`all(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import MaskReduction

OPERATION = MaskReduction(
    "all",
    "fn all(x: [... n] Mask, over: Axis[n]) -> [...] Mask",
    "Whether a mask is true everywhere along an axis, or everywhere without `over=`.",
    """\
dim Letters = 5

## Which guesses have every letter right.
fn solved(guesses: [n Letters] i64, word: [Letters] i64) -> [n] Mask = all(guesses == word, over=Letters)
""",
)
