"""Operations that make new tensors, on the declared device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.operations.families.sizes import shape_argument
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python, tuple_of
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import MASK, Domain, Range, is_mask
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast

SHAPE = Parameter("shape", Kind.SHAPE)


def emit_shape(axes: Axes, emit: Emitter) -> ast.expr:
    """The sizes of some axes, as a tuple."""
    return tuple_of([emit.size(a.size) for a in axes])


class Constant(Operation):
    """`zeros` and `ones`: a shape filled with one number, in the default float dtype."""

    parameters = (SHAPE,)

    def __init__(self, name: str, signature: str, doc: str, example: str, *, value: Interval) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example
        self.value = value

    def check(self, call: OperationCall) -> Typed:
        return call.result(TensorType(shape_argument(call, "shape"), DType.F32, Range(self.value)), ())

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ()

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        assert isinstance(node.type, TensorType) and node.type.axes is not None
        return python(
            f"torch.{self.name}(s, dtype=t, device=d)",
            s=emit_shape(node.type.axes, emit),
            t=emit.dtype(DType.F32),
            d=emit.device(),
        )


class ConstantLike(Elementwise):
    """`zeros_like` and `ones_like`: another value's shape and dtype, filled with one number. A mask's like is a
    mask."""

    reads_values = False

    def __init__(self, name: str, signature: str, doc: str, example: str, *, value: Interval) -> None:
        super().__init__(
            name, signature, doc, example, transfer=lambda x, dtype=None: value, template=f"torch.{name}(x)"
        )

    def read(self, call: OperationCall, name: str) -> Operand:
        return call.operand(name)

    def special_domain(self, operands: Sequence[Domain], detail: object) -> Domain | None:
        return MASK if is_mask(operands[0]) else None
