"""The range and the dtype of a call of an elementwise function, from its body and this call's arguments.

A call's range is the narrowest of the one that the function declares, the one that the checker found for its body,
and the one that its body gives for what this call's arguments are known to be, which `Interpreter` works out.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.known import Known, Names, joined, joined_names, known_of, settled
from shapescript_check.declarations.interfaces import AnyNumber, FnInterface, ParameterInterface
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.families.elementwise import as_range, placed, read_as
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import REAL, Domain, Range
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax.records import replaced

DEPTH = 16
"""How deep calls are followed; past it, a call has its declared range."""
ROUNDS = 16
"""More than a loop's body needs to be followed for everything to settle."""


def known_result(
    checker: BodyChecker,
    fn: FnInterface,
    declared: TensorType,
    pairs: list[tuple[ParameterInterface, typed.Typed | None]],
    alignment: tuple[tuple[int, ...], ...],
) -> Known:
    """What is known of a call's result. The dtype is None where it depends on the way through the body."""
    arguments = {p.name: _argument(p, v, at) for (p, v), at in zip(pairs, alignment, strict=True)}
    found = Interpreter(checker, DEPTH).call(fn.key, arguments)
    if found is None:
        return Known(declared.domain, declared.dtype, Tier.TENSOR)
    dtype = declared.dtype or found.dtype
    if not isinstance(declared.domain, Range):
        return Known(declared.domain, dtype, found.tier)
    if fn.returns is None or dtype is DType.F16 or dtype is DType.BF16:
        # The body was held against what is declared, and found to have its own range, in f32.
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
        returned: list[Known] = []
        Interpreter(self.checker, self.depth - 1).block(body.statements, dict(arguments), returned)
        return reduce(joined, returned) if returned else None

    def block(self, statements: tuple[typed.Statement, ...], names: Names, returned: list[Known]) -> bool:
        """Follows statements, with what is known of names, which it updates, and of what they return. False where what
        comes after them is never reached."""
        for statement in statements:
            if isinstance(statement, typed.BindTo) and len(statement.names) == 1:
                names[statement.names[0]] = self.value(statement.value, names)
            elif isinstance(statement, typed.ReturnValue) and statement.value is not None:
                returned.append(self.value(statement.value, names))
                return False
            elif isinstance(statement, typed.Branch):
                if not self.branch(statement, names, returned):
                    return False
            elif isinstance(statement, typed.CountLoop | typed.EachLoop):
                self.loop(statement, names, returned)
        return True

    def branch(self, statement: typed.Branch, names: Names, returned: list[Known]) -> bool:
        """Follows both ways."""
        body, orelse = dict(names), dict(names)
        ways = [
            way
            for way, statements in ((body, statement.body), (orelse, statement.orelse or ()))
            if self.block(statements, way, returned)
        ]
        if ways:
            after = joined_names(ways[0], ways[-1])
            names.clear()
            names.update(after)
        return bool(ways)

    def loop(self, statement: typed.CountLoop | typed.EachLoop, names: Names, returned: list[Known]) -> None:
        """Follows a loop's body until what is known at its start holds at its end."""
        names.pop(statement.name, None)
        for round_number in range(ROUNDS):
            end = dict(names)
            self.block(statement.body, end, [])
            after = settled(names, end, round_number)
            if after == names:
                break
            names.update(after)
        self.block(statement.body, dict(names), returned)

    def value(self, node: typed.Typed, names: Names) -> Known:
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

    def of_some_dtype(self, node: typed.Typed, names: Names) -> Known:
        """A value whose dtype is that of what it comes from: a claim, a conversion, a function of floats."""
        known = known_of(node)
        if isinstance(node, typed.Assert):
            inner = self.value(node.value, names)
            return Known(_claimed(node, known.domain, inner.domain), inner.dtype, inner.tier)
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

    def function(self, node: typed.CallFn, kind: TensorType, names: Names) -> Known:
        """A function of the program."""
        interface = self.checker.interface(node.name)
        parameters = {p.name: p for p in interface.parameters} if isinstance(interface, FnInterface) else {}
        arguments = {
            n: given_for(parameters.get(n), self.value(a, names)) for n, a in node.arguments if a is not None
        }
        found = self.call(node.name, arguments)
        dtype = kind.dtype or (found.dtype if found else None)
        if found is None or not isinstance(kind.domain, Range):
            return Known(kind.domain, dtype, _tier(arguments.values()))
        narrow = dtype is DType.F16 or dtype is DType.BF16
        return Known(found.domain if narrow else narrowest(kind.domain, found.domain), dtype, found.tier)

    def host(self, node: typed.Host, names: Names) -> Known:
        """Arithmetic on host numbers, such as a parameter with only a default."""
        known = known_of(node)
        transfer = FUNCTIONS.get({"+": "add", "-": "sub", "*": "mul", "/": "div"}.get(node.op, ""))
        if transfer is None or len(node.operands) != 2:
            return known
        intervals = (as_range(self.value(o, names).domain).interval for o in node.operands)
        return replaced(known, domain=Range(transfer(*intervals)))


def _claimed(node: typed.Assert, claimed: Domain, inner: Domain) -> Domain:
    """A claim's domain, each end of which is the claim's, or what was known before where that is narrower: of these
    arguments, that may be further out."""
    before = known_of(node.value).domain
    if not (isinstance(claimed, Range) and isinstance(inner, Range) and isinstance(before, Range)):
        return claimed
    mine, old, new = claimed.interval, before.interval, inner.interval
    lo = new if mine.lo == old.lo and new.lo < old.lo else mine
    hi = new if mine.hi == old.hi and new.hi > old.hi else mine
    return Range(Interval(lo.lo, hi.hi, lo.lo_open, hi.hi_open))


def _float_of(operands: Iterable[Known]) -> DType | None:
    """The float dtype that a function of floats gives for numbers."""
    dtype = promote(o.stored for o in operands)
    return DType.F32 if dtype is not None and not dtype.is_float else dtype


def _tier(operands: Iterable[Known]) -> Tier:
    return min((o.tier for o in operands), default=Tier.TENSOR)
