"""`logsumexp(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import logsumexp
from shapescript_check.types.intervals import Interval

OPERATION = Reduction(
    "logsumexp",
    "fn logsumexp(x: [... n], over: Axis[n]) -> [...]",
    "The logarithm of the sum of the exponentials of the values along an axis, or of all of them without `over=`, "
    "computed without overflow.",
    """\
dim States = 5

## One step of a hidden Markov model's forward pass, in log space.
fn forward_step(alpha: [States], moves: [States next], seen: [next]) -> [next]:
    return seen + logsumexp(moves + alpha, over=States)
""",
    # Of nothing it is -inf, below any end.
    transfer=lambda x, dtype, empty: Interval.REAL if empty else logsumexp(x, dtype),
    template="torch.logsumexp(x, dim=d)",
    of_all="torch.logsumexp(x, dim=d)",
    of_whole="x.to(torch.float32)",
    whole=DType.F32,
    keeps=frozenset({"Logit"}),
)
