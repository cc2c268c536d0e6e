"""The range of a call of an elementwise function, from its body and this call's arguments.

A call's range is the narrowest of the one that the function declares, the one that the checker found for its body,
and the one that its body gives with the ranges of this call's arguments, which `Interpreter` works out.
"""

from __future__ import annotations

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.families.elementwise import as_range
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import REAL, Domain, Range
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType

DEPTH = 16
"""How deep calls are followed; past it, a call has its declared range."""


def result_domain(
    checker: BodyChecker,
    fn: FnInterface,
    declared: TensorType,
    pairs: list[tuple[ParameterInterface, typed.Typed | None]],
) -> Domain:
    """The domain of a call's result."""
    if not isinstance(declared.domain, Range):
        return declared.domain
    arguments = {p.name: _argument(p, v) for p, v in pairs}
    found = Interpreter(checker, DEPTH).call(fn.name, arguments)
    return narrowest(declared.domain, found)


def narrowest(a: Range, b: Domain | None) -> Domain:
    """The range that both say; a user's name for it is kept where it is the narrower one."""
    if b is None:
        return a
    if not isinstance(b, Range):
        return b
    met = a.interval.meet(b.interval)
    return a if met is None or met == a.interval else Range(met)


def _argument(parameter: ParameterInterface, value: typed.Typed | None) -> Domain:
    if value is None:
        default = parameter.default
        return Range(Interval.point(default)) if isinstance(default, int | float) else REAL
    return domain_of(value)


def domain_of(value: typed.Typed) -> Domain:
    """The domain of a typed value that is a number or numbers."""
    kind = value.type
    if isinstance(kind, TensorType):
        return kind.domain
    if isinstance(kind, HostType):
        return Range(kind.interval)
    return REAL


class Interpreter:
    """Runs an elementwise function's body on domains instead of values."""

    def __init__(self, checker: BodyChecker, depth: int) -> None:
        self.checker = checker
        self.depth = depth

    def call(self, name: str, arguments: dict[str, Domain]) -> Domain | None:
        """The domain of a call's result; None where nothing more than the declared one is known."""
        if self.depth <= 0:
            return None
        body = self.checker.body_of(name)
        if body is None or not isinstance(body.returns, TensorType):
            return None
        inner = Interpreter(self.checker, self.depth - 1)
        found = inner.block(body.statements, dict(arguments))
        declared = body.returns.domain
        if found is None:
            return declared if isinstance(declared, Range) else None
        return found

    def block(self, statements: tuple[typed.Statement, ...], names: dict[str, Domain]) -> Domain | None:
        """The domain that a straight-line body returns; None where it branches or loops."""
        for statement in statements:
            if isinstance(statement, typed.BindTo) and len(statement.names) == 1:
                names[statement.names[0]] = self.value(statement.value, names)
            elif isinstance(statement, typed.ReturnValue) and statement.value is not None:
                return self.value(statement.value, names)
            elif not isinstance(statement, typed.Evaluate):
                return None
        return None

    def value(self, node: typed.Typed, names: dict[str, Domain]) -> Domain:
        """The domain of an expression of the body."""
        if isinstance(node, typed.Local):
            return names.get(node.name, domain_of(node))
        if isinstance(node, typed.Apply) and node.operation.elementwise and isinstance(node.type, TensorType):
            operands = [self.value(o, names) for o in node.operands]
            return node.operation.domain(operands, node.type.dtype, node.detail)
        if isinstance(node, typed.CallExtern) and node.math is not None:
            operands = [self.value(a, names) for _, a in node.arguments]
            return Range(FUNCTIONS[node.math](*(as_range(o).interval for o in operands)))
        if isinstance(node, typed.CallFn) and isinstance(node.type, TensorType):
            declared = node.type.domain
            arguments = {n: self.value(a, names) for n, a in node.arguments if a is not None}
            found = self.call(node.name, arguments)
            return narrowest(declared, found) if isinstance(declared, Range) else declared
        if isinstance(node, typed.Host) and isinstance(node.type, HostType):
            return self.host(node, names)
        return domain_of(node)

    def host(self, node: typed.Host, names: dict[str, Domain]) -> Domain:
        """Arithmetic on host numbers, such as a parameter with only a default."""
        transfer = FUNCTIONS.get({"+": "add", "-": "sub", "*": "mul", "/": "div"}.get(node.op, ""))
        if transfer is None or len(node.operands) != 2:
            return domain_of(node)
        return Range(transfer(*(as_range(self.value(o, names)).interval for o in node.operands)))
