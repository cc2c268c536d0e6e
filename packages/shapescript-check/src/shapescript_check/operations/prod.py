"""`prod(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import product

OPERATION = Reduction(
    "prod",
    "fn prod(x: [... n], over: Axis[n]) -> [...]",
    "The product of the values along an axis, or of all of them without `over=`. Integers and masks are multiplied "
    "in i64.",
    """\
dim Years = 12

## What one unit grows to at these yearly rates.
fn growth(rates: [funds Years] Unit) -> [funds] NonNeg = prod(rates + 1.0, over=Years)
""",
    transfer=lambda x, dtype, empty: product(x, dtype),
    template="x.prod(dim=d)",
    of_all="x.prod()",
    whole=DType.I64,
    keeps=frozenset({"Logit", "Binary"}),
    one_at_a_time=True,
)
