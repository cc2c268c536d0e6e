"""The range and the dtype of a call of an elementwise function, from its body and this call's arguments.

A call's range is the narrowest of the one that the function declares, the one that the checker found for its body,
and the one that its body gives for what this call's arguments are known to be, which `Interpreter` works out.
"""

from __future__ import annotations

from collections.abc import Iterable

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import AnyNumber, FnInterface, ParameterInterface
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.families.elementwise import as_range, placed, read_as
from shapescript_check.operations.operation import Stored
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import REAL, Domain, Range
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax.records import replaced, value

DEPTH = 16
"""How deep calls are followed; past it, a call has its declared range."""


@value
class Known:
    """What is known of a number or numbers. A dtype of None is the caller's."""

    domain: Domain
    dtype: DType | None
    tier: Tier

    @property
    def stored(self) -> Stored:
        """How it is stored."""
        return self.dtype, self.tier


def known_of(value: typed.Typed) -> Known:
    """What is known of a typed value from its type."""
    kind = value.type
    if isinstance(kind, TensorType):
        return Known(kind.domain, kind.dtype, Tier.SCALAR_TENSOR if kind.axes == () else Tier.TENSOR)
    if isinstance(kind, HostType):
        return Known(Range(kind.interval), HOST_DTYPES[kind.kind], Tier.NUMBER)
    return Known(REAL, None, Tier.TENSOR)


def known_result(
    checker: BodyChecker,
    fn: FnInterface,
    declared: TensorType,
    pairs: list[tuple[ParameterInterface, typed.Typed | None]],
    alignment: tuple[tuple[int, ...], ...],
) -> Known:
    """What is known of a call's result. The dtype is None where the body's branches or loops hide it."""
    arguments = {p.name: _argument(p, v, at) for (p, v), at in zip(pairs, alignment, strict=True)}
    found = Interpreter(checker, DEPTH).call(fn.name, arguments)
    if found is None:
        return Known(declared.domain, declared.dtype, Tier.TENSOR)
    dtype = declared.dtype or found.dtype
    if not isinstance(declared.domain, Range):
        return Known(declared.domain, dtype, found.tier)
    if fn.returns is None:
        # The range that the checker found for the body is that of f32, and as narrow as this one only there.
        return Known(found.domain, dtype, found.tier)
    return Known(narrowest(declared.domain, found.domain), dtype, found.tier)


def narrowest(a: Range, b: Domain | None) -> Domain:
    """The range that both say; a user's name for it is kept where it is the narrower one."""
    if b is None:
        return a
    if not isinstance(b, Range):
        return b
    met = a.interval.meet(b.interval)
    return a if met is None or met == a.interval else Range(met)


def _argument(parameter: ParameterInterface, value: typed.Typed | None, positions: tuple[int, ...]) -> Known:
    if value is not None:
        known = given_for(parameter, known_of(value))
        return replaced(known, domain=placed(known.domain, positions))
    default = parameter.default
    if not isinstance(default, int | float):
        return Known(REAL, None, Tier.TENSOR)
    kind = parameter.type
    if isinstance(kind, TensorType):
        return Known(Range(Interval.point(default)), kind.dtype or DType.F32, Tier.SCALAR_TENSOR)
    name = kind.kind if isinstance(kind, HostType | AnyNumber) else type(default).__name__
    return Known(Range(Interval.point(default)), HOST_DTYPES[name], Tier.NUMBER)


def given_for(parameter: ParameterInterface | None, known: Known) -> Known:
    """What is known of an argument inside the function: a number given for a tensor is one, without axes."""
    if parameter is not None and isinstance(parameter.type, TensorType) and known.tier is Tier.NUMBER:
        return replaced(known, tier=Tier.SCALAR_TENSOR)
    return known


class Interpreter:
    """Runs an elementwise function's body on what is known of values instead of values."""

    def __init__(self, checker: BodyChecker, depth: int) -> None:
        self.checker = checker
        self.depth = depth

    def call(self, name: str, arguments: dict[str, Known]) -> Known | None:
        """What is known of a call's result; None where no more than what the function declares."""
        if self.depth <= 0:
            return None
        body = self.checker.body_of(name)
        if body is None or not isinstance(body.returns, TensorType):
            return None
        return Interpreter(self.checker, self.depth - 1).block(body.statements, dict(arguments))

    def block(self, statements: tuple[typed.Statement, ...], names: dict[str, Known]) -> Known | None:
        """What a straight-line body returns; None where it branches or loops."""
        for statement in statements:
            if isinstance(statement, typed.BindTo) and len(statement.names) == 1:
                names[statement.names[0]] = self.value(statement.value, names)
            elif isinstance(statement, typed.ReturnValue) and statement.value is not None:
                return self.value(statement.value, names)
            elif not isinstance(statement, typed.Evaluate):
                return None
        return None

    def value(self, node: typed.Typed, names: dict[str, Known]) -> Known:
        """What is known of an expression of the body."""
        if isinstance(node, typed.Local):
            return names.get(node.name) or known_of(node)
        if isinstance(node, typed.Apply) and node.operation.elementwise and isinstance(node.type, TensorType):
            return self.operation(node, [self.value(o, names) for o in node.operands])
        if isinstance(node, typed.CallExtern) and node.math is not None:
            return self.mathematics(node.math, [self.value(a, names) for _, a in node.arguments])
        if isinstance(node, typed.CallFn) and isinstance(node.type, TensorType):
            return self.function(node, node.type, names)
        if isinstance(node, typed.Host) and isinstance(node.type, HostType):
            return self.host(node, names)
        if isinstance(node.type, TensorType) and node.type.dtype is None:
            return self.of_some_dtype(node, names)
        return known_of(node)

    def of_some_dtype(self, node: typed.Typed, names: dict[str, Known]) -> Known:
        """A value whose dtype is that of what it comes from: a claim, a conversion, a function of floats."""
        known = known_of(node)
        if isinstance(node, typed.Assert):
            inner = self.value(node.value, names)
            return replaced(known, dtype=inner.dtype, tier=inner.tier)
        values = node.operands if isinstance(node, typed.Apply) else ()
        if isinstance(node, typed.CallExtern):
            values = tuple(a for _, a in node.arguments if hasattr(a, "type"))
        operands = [self.value(v, names) for v in values]
        if not operands:
            return known
        return replaced(known, dtype=_float_of(operands), tier=_tier(operands))

    def operation(self, node: typed.Apply, operands: list[Known]) -> Known:
        """A built-in operation."""
        dtype = node.operation.dtype_of([o.stored for o in operands], node.detail)
        domains = [read_as(d, o.stored, dtype) if isinstance(d := o.domain, Range) else d for o in operands]
        return Known(node.operation.domain(domains, dtype, node.detail), dtype, _tier(operands))

    def mathematics(self, name: str, operands: list[Known]) -> Known:
        """A Python function whose mathematics is known."""
        dtype = _float_of(operands)
        intervals = (read_as(as_range(o.domain), o.stored, dtype).interval for o in operands)
        return Known(Range(FUNCTIONS[name](*intervals, dtype=dtype)), dtype, _tier(operands))

    def function(self, node: typed.CallFn, kind: TensorType, names: dict[str, Known]) -> Known:
        """A function of the program."""
        interface = self.checker.interface(node.name)
        parameters = {p.name: p for p in interface.parameters} if isinstance(interface, FnInterface) else {}
        arguments = {
            n: given_for(parameters.get(n), self.value(a, names)) for n, a in node.arguments if a is not None
        }
        found = self.call(node.name, arguments)
        if found is None or not isinstance(kind.domain, Range):
            return Known(
                kind.domain, kind.dtype or (found.dtype if found else None), _tier(arguments.values())
            )
        return Known(narrowest(kind.domain, found.domain), kind.dtype or found.dtype, found.tier)

    def host(self, node: typed.Host, names: dict[str, Known]) -> Known:
        """Arithmetic on host numbers, such as a parameter with only a default."""
        known = known_of(node)
        transfer = FUNCTIONS.get({"+": "add", "-": "sub", "*": "mul", "/": "div"}.get(node.op, ""))
        if transfer is None or len(node.operands) != 2:
            return known
        intervals = (as_range(self.value(o, names).domain).interval for o in node.operands)
        return replaced(known, domain=Range(transfer(*intervals)))


def _float_of(operands: Iterable[Known]) -> DType | None:
    """The float dtype that a function of floats gives for numbers."""
    dtype = promote(o.stored for o in operands)
    return DType.F32 if dtype is not None and not dtype.is_float else dtype


def _tier(operands: Iterable[Known]) -> Tier:
    return min((o.tier for o in operands), default=Tier.TENSOR)
