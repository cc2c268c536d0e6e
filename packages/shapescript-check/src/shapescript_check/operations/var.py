"""`var(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import spread

OPERATION = Reduction(
    "var",
    "fn var(x: [... n], over: Axis[n]) -> [...] NonNeg",
    "The variance of the values along an axis, or of all of them without `over=`: the unbiased one, which divides "
    "by one less than their number.",
    """\
dim Strikes = 7

## The strike whose price moved the most.
fn most_volatile(prices: [days Strikes]) -> [] Index[Strikes] = prices |> var(over=days) |> argmax
""",
    transfer=lambda x, dtype, empty: spread(x, dtype),
    template="x.var(dim=d)",
    of_all="x.var()",
    of_whole="x.to(torch.float32)",
    whole=DType.F32,
)
