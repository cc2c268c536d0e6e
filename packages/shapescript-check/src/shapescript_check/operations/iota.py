"""`iota(n)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.sizes import new_axis
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Iota(Operation):
    """The positions along an axis."""

    name = "iota"
    signature = "fn iota(n: Size[n]) -> [n] Index[n]"
    doc = "The whole numbers from 0 up to, but not including, a size: the positions along an axis."
    example = """\
dim Length = 7

## Weights that grow along a sequence, so that the last value counts in full.
fn fade_in(x: [b Length]) -> [b Length] = x * (iota(Length) + 1) / Length
"""
    parameters = (Parameter("n"),)

    def check(self, call: OperationCall) -> Typed:
        node, axis = new_axis(call, "n")
        return call.result(TensorType((axis,), DType.I64, IndexOf(axis.size)), (node,))

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ((),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        return python("torch.arange(n, device=d)", n=emit.number_or_tensor(node.operands[0]), d=emit.device())


OPERATION = Iota()
