"""`as` and `to`."""

from __future__ import annotations

from shapescript_check.bodies.assertions import type_as
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.conversions import convert
from shapescript_check.typed.tree import Typed
from shapescript_check.types.values import ErrorType, PythonType, ResultsType, StringType, TensorType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span


def type_cast(checker: BodyChecker, syntax: tree.Cast) -> Typed:
    """`value as T` or `value to T`."""
    value = checker.expression(syntax.value)
    if syntax.op == "to":
        return type_to(checker, syntax.span, syntax.op_span, value, syntax.type)
    if isinstance(value.type, ErrorType):
        return checker.unresolved(syntax.span)
    return type_as(checker, syntax, value)


def type_to(checker: BodyChecker, span: Span, at: Span, value: Typed, written: tree.TypeExpr) -> Typed:
    """A conversion; `at` is the `to`, or the whole stage of a pipe."""
    kind = value.type
    if isinstance(kind, ErrorType):
        return checker.unresolved(span)
    if isinstance(kind, StringType | ResultsType):
        checker.report("E0412", value.span, f"`to` converts a tensor, and this is {described(kind)}")
        return checker.unresolved(span)
    if not isinstance(kind, TensorType | PythonType) and type(kind).__name__ != "HostType":
        checker.report("E0412", value.span, f"`to` converts a tensor, and this is {described(kind)}")
        return checker.unresolved(span)
    return convert(checker, span, at, value, written)
