"""Operands quoted in a help that is to be pasted."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.operations.call import OperationCall
from shapescript_check.typed.tree import Typed


def in_brackets(call: OperationCall, node: Typed) -> str:
    """An operand as it was written, on one line, and in brackets unless an operator can follow it as it is."""
    return quoting.operand(call.context.text(node.span))
