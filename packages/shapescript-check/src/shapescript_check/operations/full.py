"""`full([b D], v)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import HOST_DTYPES, OperationCall
from shapescript_check.operations.families.creation import SHAPE, emit_shape
from shapescript_check.operations.families.elementwise import check_number_fits, host_parameter
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.sizes import shape_argument
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import MASK, Range
from shapescript_check.types.values import HostType, PythonType, TensorType

if TYPE_CHECKING:
    import ast


class Full(Operation):
    """A shape filled with one number. As in torch, an int makes i64, a float f32 and a bool a mask."""

    name = "full"
    signature = "fn full(shape: Shape, v: Any) -> [...]"
    doc = (
        "A tensor with one number everywhere: i64 of an int, f32 of a float, and a mask of true or false. The shape "
        "is written as in a type."
    )
    example = """\
## Distances with every point infinitely far from itself, for nearest neighbours.
fn without_self(distances: [n n] NonNeg, far: float) -> [n n]:
    return where(eye(n) > 0.5, full([n n], far), distances)
"""
    parameters = (SHAPE, Parameter("v"))

    def check(self, call: OperationCall) -> Typed:
        value = call.value("v")
        kind = value.type
        if isinstance(kind, PythonType):
            call.refuse(
                "E0413",
                value.span,
                "the value says the dtype of `full`, and one from Python has no type until it is asserted",
                help=f"assert it first: {in_brackets(call, value)} as float",
            )
        if not (isinstance(kind, HostType) and kind.kind == "bool"):
            operand = host_parameter(call, "v")
            check_number_fits(call, operand, operand.dtype)
            kind = call.host_number("v")[1]
        domain = MASK if kind.kind == "bool" else Range(kind.interval)
        axes = shape_argument(call, "shape")
        return call.result(TensorType(axes, HOST_DTYPES[kind.kind], domain), (value,))

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ((),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        kind = node.type
        assert isinstance(kind, TensorType) and kind.axes is not None and kind.dtype is not None
        return python(
            "torch.full(s, v, dtype=t, device=d)",
            s=emit_shape(kind.axes, emit),
            v=emit.number_or_tensor(node.operands[0]),
            t=emit.dtype(kind.dtype),
            d=emit.device(),
        )


OPERATION = Full()
