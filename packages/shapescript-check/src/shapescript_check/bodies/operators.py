"""Operators: on tensors the operation they stand for, on host scalars and Python values Python's own."""

from __future__ import annotations

from shapescript_check import operations, quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.gradient_arithmetic import type_gradients
from shapescript_check.declarations.defaults import article
from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.host import host_arithmetic, host_negation
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import SizeTooLarge
from shapescript_check.typed.tree import Host, Literal, Typed
from shapescript_check.types.entities import GradType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import PYTHON, ErrorType, HostType, PythonType, StringType, TensorType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span

OPERATIONS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "@": "matmul",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "and": "logical_and",
    "or": "logical_or",
    "!": "logical_not",
}
_NUMBERS = (TensorType, HostType)
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def type_binary(checker: BodyChecker, syntax: tree.Binary) -> Typed:
    """Two operands of an operator."""
    left = checker.expression(syntax.left)
    right = checker.expression(syntax.right)
    if not (isinstance(left.type, _NUMBERS) and isinstance(right.type, _NUMBERS)):
        special = _other_operands(checker, syntax, left, right)
        if special is not None:
            return special
    if isinstance(left.type, HostType) and isinstance(right.type, HostType) and syntax.op != "@":
        return _host(checker, syntax, left, right, left.type, right.type)
    given = {"x": [Given(left.span, None, None, left)], "y": [Given(right.span, None, None, right)]}
    return apply(checker, operations.operator(OPERATIONS[syntax.op]), syntax.span, syntax.op_span, given)


def _other_operands(checker: BodyChecker, syntax: tree.Binary, left: Typed, right: Typed) -> Typed | None:
    """An operator whose operands aren't both numbers; None where that is for its operation to refuse."""
    if isinstance(left.type, ErrorType) or isinstance(right.type, ErrorType):
        return checker.unresolved(syntax.span)
    if isinstance(left.type, PythonType) or isinstance(right.type, PythonType):
        return Host(syntax.span, PYTHON, syntax.op, (left, right))
    for operand in (left, right):
        if isinstance(operand.type, StringType):
            checker.report("E0412", operand.span, f"a string can't be an operand of `{syntax.op}`")
            return checker.unresolved(syntax.span)
    if isinstance(left.type, GradType) or isinstance(right.type, GradType):
        return type_gradients(checker, syntax.span, syntax.op, (left, right))
    return None


def type_unary(checker: BodyChecker, syntax: tree.Unary) -> Typed:
    """`-x` and `!x`."""
    operand = checker.expression(syntax.operand)
    kind = operand.type
    if isinstance(kind, ErrorType):
        return checker.unresolved(syntax.span)
    if isinstance(kind, StringType):
        checker.report("E0412", operand.span, f"a string can't be an operand of `{syntax.op}`")
        return checker.unresolved(syntax.span)
    if isinstance(kind, PythonType):
        return Host(syntax.span, PYTHON, syntax.op, (operand,))
    if isinstance(kind, GradType):
        return type_gradients(checker, syntax.span, syntax.op, (operand,))
    if isinstance(kind, HostType):
        return _host_unary(checker, syntax, operand, kind)
    operation = operations.operator("neg" if syntax.op == "-" else "logical_not")
    op_span = type(syntax.span)(syntax.span.start, syntax.span.start + 1)
    return apply(checker, operation, syntax.span, op_span, {"x": [Given(operand.span, None, None, operand)]})


def apply(
    checker: BodyChecker,
    operation: Operation,
    span: Span,
    at: Span,
    given: dict[str, list[Given]],
) -> Typed:
    """Types an application of a built-in operation to arguments that are already matched."""
    call = OperationCall(operation, span, at, given, checker)
    try:
        return operation.check(call)
    except Refused:
        checker.lost_axes |= operation.introduces_axes
        return checker.unresolved(span)
    except SizeTooLarge:
        checker.report("E0414", span, "a size here doesn't fit in 128 bits")
        return checker.unresolved(span)


def _host_unary(checker: BodyChecker, syntax: tree.Unary, operand: Typed, kind: HostType) -> Typed:
    if syntax.op == "!":
        if kind.kind != "bool":
            _not_bool(checker, operand, syntax.op)
            return checker.unresolved(syntax.span)
        return Host(syntax.span, HostType("bool"), "!", (operand,))
    if kind.kind == "bool":
        _bool_arithmetic(checker, operand)
        return checker.unresolved(syntax.span)
    return Host(syntax.span, host_negation(kind), "-", (operand,))


def _host(
    checker: BodyChecker, syntax: tree.Binary, left: Typed, right: Typed, a: HostType, b: HostType
) -> Typed:
    op = syntax.op
    if op in ("and", "or"):
        for operand, kind in ((left, a), (right, b)):
            if kind.kind != "bool":
                _not_bool(checker, operand, op)
                return checker.unresolved(syntax.span)
        return Host(syntax.span, HostType("bool"), op, (left, right))
    bools = [o for o, k in ((left, a), (right, b)) if k.kind == "bool"]
    if op in COMPARISONS:
        if bools and (len(bools) == 1 or op not in ("==", "!=")):
            checker.report("E0501", bools[0].span, f"a bool isn't a number, so `{op}` can't compare it")
            return checker.unresolved(syntax.span)
        return Host(syntax.span, HostType("bool"), op, (left, right))
    if bools:
        _bool_arithmetic(checker, bools[0])
        return checker.unresolved(syntax.span)
    return Host(syntax.span, _number(checker, syntax, a, b), op, (left, right))


def _number(checker: BodyChecker, syntax: tree.Binary, a: HostType, b: HostType) -> HostType:
    op = syntax.op
    if op == "/" and b.interval == Interval.point(0):
        checker.report("E0506", syntax.right.span, "this divides by zero")
    return host_arithmetic(op, a, b)


def _not_bool(checker: BodyChecker, operand: Typed, op: str) -> None:
    checker.report(
        "E0501",
        operand.span,
        f"`{op}` takes bools, and this is {article(str(operand.type))}",
        help=None if isinstance(operand, Literal) else f"compare it, as in {_quoted(checker, operand)} != 0",
    )


def _quoted(checker: BodyChecker, operand: Typed) -> str:
    return quoting.operand(checker.text(operand.span))


def _bool_arithmetic(checker: BodyChecker, operand: Typed) -> None:
    checker.report("E0505", operand.span, "a bool isn't a number, so it has no arithmetic")
