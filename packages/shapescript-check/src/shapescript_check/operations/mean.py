"""`mean(x, over=a)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.operations.lowering import python
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import mean

if TYPE_CHECKING:
    import ast


class Mean(Reduction):
    """The mean, which torch takes of integers where the result's dtype is said."""

    def python_of(
        self, x: ast.expr, dtype: DType | None, over: int | Sequence[int] | None, rank: int
    ) -> ast.expr:
        if dtype is None or dtype.is_float:
            return super().python_of(x, dtype, over, rank)
        if over is None:
            return python("x.mean(dtype=torch.float32)", x=x)
        return python("x.mean(dim=d, dtype=torch.float32)", x=x, d=over)


OPERATION = Mean(
    "mean",
    "fn mean(x: [... n], over: Axis[n]) -> [...]",
    "The mean of the values along an axis, or of all of them without `over=`. The mean of distributions over "
    "another axis is a distribution too.",
    """\
dim Members = 5
dim Labels = 4

## What an ensemble predicts: its members' predictions, averaged.
fn ensemble(votes: [Members n Labels] Prob over Labels) -> [n Labels] Prob over Labels:
    return mean(votes, over=Members)
""",
    transfer=lambda x, dtype, empty: mean(x, dtype),
    template="x.mean(dim=d)",
    of_all="x.mean()",
    whole=DType.F32,
    keeps=frozenset({"Logit", "Prob"}),
)
