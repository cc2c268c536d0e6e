"""`norm(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import spread

OPERATION = Reduction(
    "norm",
    "fn norm(x: [... n], over: Axis[n]) -> [...] NonNeg",
    "The Euclidean length, the root of the sum of squares, along an axis, or of all values without `over=`.",
    """\
dim Features = 8

## Rows scaled to length 1; a row of zeros stays zero.
fn unit_rows(x: [n Features]) -> [n Features]:
    length = rearrange(norm(x, over=Features), n -> n 1)
    return x / maximum(length, 1e-6)
""",
    transfer=lambda x, dtype, empty: spread(x, dtype),
    template="torch.linalg.vector_norm(x, dim=d)",
    of_all="torch.linalg.vector_norm(x)",
    of_whole="x.to(torch.float32)",
    whole=DType.F32,
)
