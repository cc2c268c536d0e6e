"""`eye(n)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.sizes import new_axis
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import BINARY
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Eye(Operation):
    """The identity matrix."""

    name = "eye"
    signature = "fn eye(n: Size[n]) -> [n n] Binary"
    doc = "The identity matrix: 1 on the diagonal and 0 elsewhere, in f32."
    example = """\
dim Units = 6

## A covariance made safe to invert by adding a little to its diagonal.
fn regularized(covariance: [Units Units]) -> [Units Units] = covariance + 0.01 * eye(Units)
"""
    parameters = (Parameter("n"),)

    def check(self, call: OperationCall) -> Typed:
        node, axis = new_axis(call, "n")
        return call.result(TensorType((axis, axis), DType.F32, BINARY), (node,))

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ((),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        return python(
            "torch.eye(n, dtype=t, device=d)",
            n=emit.number_or_tensor(node.operands[0]),
            t=emit.dtype(DType.F32),
            d=emit.device(),
        )


OPERATION = Eye()
