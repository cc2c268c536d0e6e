"""What operations on models, gradients and optimizer state share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter
from shapescript_check.operations.operation import Operation
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import ErrorType, HostType, PythonType, StringType, TensorType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class HostOperation(Operation):
    """An operation whose operands are no tensors, or are used whole, so that no axis flows anywhere."""

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return tuple(() for _ in node.operands)


def host_argument(call: OperationCall, name: str, kind: str) -> Typed:
    """An argument that has to be a host scalar of a kind (an int is a float too), or a Python value."""
    node = call.value(name)
    mine = node.type
    what = f"`{name}` of `{call.shown_name}`"
    if isinstance(mine, ErrorType):
        call.stop()
    wanted = described(HostType(kind))
    if isinstance(mine, TensorType):
        call.refuse(
            "E0805",
            node.span,
            f"{what} is {wanted}, and this is a tensor",
            notes=("a host scalar is a Python value; reading a tensor would wait for the device",),
        )
    if not isinstance(mine, HostType | PythonType):
        code = "E0412" if isinstance(mine, StringType) else "E0805"
        call.refuse(code, node.span, f"{what} is {wanted}, and this is {described(mine)}")
    if isinstance(mine, HostType) and mine.kind != kind and not (mine.kind == "int" and kind == "float"):
        call.refuse("E0502", node.span, f"{what} is {wanted}, and this is {described(mine)}")
    return node


def lowered_arguments(node: Apply, emit: Emitter) -> list[ast.expr]:
    """The operands as they come."""
    return [emit.number_or_tensor(o) for o in node.operands]


def keywords(pairs: list[tuple[str, Any]]) -> list[ast.keyword]:
    """Keyword arguments of a Python call."""
    import ast

    return [ast.keyword(name, value) for name, value in pairs]
