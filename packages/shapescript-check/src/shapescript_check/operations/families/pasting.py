"""Operands quoted in a help that is to be pasted."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.operations.call import OperationCall
from shapescript_check.sizes import SymbolKind
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, shape_text


def claimed_shape(call: OperationCall, node: Typed, axes: Axes) -> str | None:
    """The `as` that says a value has a shape; None where a size in it has no name that a type can use."""
    if any(symbol.kind is SymbolKind.UNKNOWN for axis in axes for symbol in axis.size.symbols()):
        return None
    return f"{in_brackets(call, node)} as {shape_text(axes)}"


def in_brackets(call: OperationCall, node: Typed) -> str:
    """An operand as it was written, on one line, and in brackets unless an operator can follow it as it is."""
    return quoting.operand(call.context.text(node.span))
