"""Calls that a help asks to write, with the operand as the source has it."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.typed.tree import Typed


def call_text(call: OperationCall, operand: Typed, name: str, pattern: str, more: str = "") -> str:
    """A call of a pattern operation on an operand of this one; as a stage where the operand came through a pipe."""
    given = call.arguments.get("operands", ())
    if any(g.syntax is None and g.typed is operand for g in given):
        return f"{name}({pattern}{more})"
    text = call.context.text(operand.span)
    return f"{name}({text}, {pattern}{more})"
