"""Lining operands up on behalf of what is no built-in operation: a function of the program, or indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter
from shapescript_check.operations.operation import Operation
from shapescript_check.typed.tree import Apply, Typed
from shapescript_syntax.spans import Span

if TYPE_CHECKING:
    import ast


class _UserFunction(Operation):
    """Stands for a function of the program where operands are lined up, so that messages name it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def check(self, call: OperationCall) -> Typed:
        raise AssertionError("a function of the program has its own typing rule")

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        raise AssertionError("a function of the program is no operation")

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        raise AssertionError("a function of the program is no operation")


def lining_up(checker: BodyChecker, name: str, span: Span, at: Span) -> OperationCall:
    """A call to line operands up for, on behalf of a function."""
    return OperationCall(_UserFunction(name), span, at, {}, checker)
