"""`sum(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import total

OPERATION = Reduction(
    "sum",
    "fn sum(x: [... n], over: Axis[n]) -> [...]",
    "The sum of the values along an axis, or of all of them without `over=`. Integers and masks are added up in "
    "i64, so the sum of a mask counts where it is true.",
    """\
dim Words = 9

## How many words of each document are kept.
fn kept_words(keep: [docs Words] Mask) -> [docs] i64 = sum(keep, over=Words)
""",
    transfer=lambda x, dtype, empty: total(x, dtype, empty=empty),
    template="x.sum(dim=d)",
    of_all="x.sum()",
    whole=DType.I64,
    keeps=frozenset({"Logit", "Additive"}),
)
