"""`one_hot(i)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.positions import rank_of, type_of
from shapescript_check.operations.flows import OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.domains import BINARY, IndexOf
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class OneHot(Operation):
    """Indices as rows that are 1 at the index and 0 elsewhere."""

    name = "one_hot"
    signature = "fn one_hot(i: [...] Index[V]) -> [... V] Binary"
    doc = "Each index as a row of a new last axis: 1 at the index and 0 elsewhere, in f32."
    example = """\
dim Classes = 4

## How many examples of each class a batch has.
fn class_counts(labels: [b] Index[Classes]) -> [Classes] NonNeg = labels |> one_hot |> sum(over=b)
"""
    parameters = (Parameter("i"),)

    def check(self, call: OperationCall) -> Typed:
        node, kind, axes = call.shaped("i")
        if not isinstance(kind.domain, IndexOf):
            text = in_brackets(call, node)
            whole = kind.dtype is not None and kind.dtype.is_int
            call.refuse(
                "E0501",
                node.span,
                f"`one_hot` takes an Index, whose size says how long a row is, and this is {kind}",
                help=f"if they are below a size V, say so: {text} as Index[V]" if whole else None,
            )
        size = kind.domain.size
        return call.result(TensorType((*axes, Axis(size, size.name)), DType.F32, BINARY), (node,))

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (kept(tuple(range(rank_of(node.operands[0])))),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        axes = type_of(node).axes
        assert axes
        return python(
            "f(x, n)",
            f=emit.runtime("one_hot_binary"),
            x=emit.tensor(node.operands[0]),
            n=emit.size(axes[-1].size),
        )


OPERATION = OneHot()
