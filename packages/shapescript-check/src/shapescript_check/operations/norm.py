"""`norm(x, over=a)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import NONNEG
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import GradType
from shapescript_check.types.functions import spread
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Norm(Reduction):
    """The norm of a tensor, or of all the values of a gradient together."""

    def check(self, call: OperationCall) -> Typed:
        x = call.value("x")
        if not isinstance(x.type, GradType):
            return super().check(call)
        if call.has("over"):
            call.refuse("E0406", call.given("over").span, "the norm of a gradient is over all its values")
        return call.result(TensorType((), DType.F32, NONNEG), (x,), detail=GradType)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ((),) if node.detail is GradType else super().flows(node)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        if node.detail is GradType:
            return python("_ss_rt.grad_norm(g)", g=emit.number_or_tensor(node.operands[0]))
        return super().lower(node, emit)


OPERATION = Norm(
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
