"""Defaults of parameters, and other numbers that are worked out while the program is checked."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from shapescript_check.declarations.interfaces import Broken, DimInterface, Interface, ParameterType
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.types.domains import ADDITIVE, BINARY, IndexOf, Range
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax import tree

if TYPE_CHECKING:
    from shapescript_check.declarations.signatures import SignatureScope

Number = int | float | bool


class NotConstant(Exception):
    """An expression that isn't made of numbers and dims; `syntax` is the part that isn't."""

    def __init__(self, syntax: tree.Expr, why: str) -> None:
        super().__init__(why)
        self.syntax = syntax
        self.why = why


def constant(syntax: tree.Expr, lookup: Callable[[str], Interface | None]) -> Number:
    """The value of an expression of numbers, `true`, `false`, `inf`, dims and arithmetic.

    Raises NotConstant at the part that is anything else.
    """
    match syntax:
        case tree.Int() | tree.Float() | tree.Bool():
            return syntax.value
        case tree.Inf():
            return float("inf")
        case tree.Unary(op="-"):
            value = constant(syntax.operand, lookup)
            if isinstance(value, bool):
                raise NotConstant(syntax, "a bool has no negative")
            return -value
        case tree.Binary(op="+" | "-" | "*" | "/"):
            return _arithmetic(syntax, lookup)
        case tree.Ident():
            found = lookup(syntax.name)
            if isinstance(found, DimInterface):
                return found.value
            if isinstance(found, Broken):
                return 1
            raise NotConstant(syntax, f"`{syntax.name}` is neither a number nor a dim")
        case _:
            raise NotConstant(syntax, "this isn't a number that is known before the program runs")


def _arithmetic(syntax: tree.Binary, lookup: Callable[[str], Interface | None]) -> Number:
    left, right = constant(syntax.left, lookup), constant(syntax.right, lookup)
    if isinstance(left, bool) or isinstance(right, bool):
        raise NotConstant(syntax, "a bool isn't a number")
    try:
        match syntax.op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case _:
                return left / right
    except ZeroDivisionError:
        raise NotConstant(syntax, "this divides by zero") from None
    except OverflowError:
        raise NotConstant(syntax, "this number is too large") from None


def default_value(
    syntax: tree.Expr, kind: ParameterType | None, scope: SignatureScope, report: Reporter
) -> Number | None:
    """A default's value, which has to be a number or a bool made of numbers and dims, and fit its type."""

    def lookup(name: str) -> Interface | None:
        if name in scope.parameters or scope.local_size(name) is not None:
            raise NotConstant(syntax, f"it is worked out once, and `{name}` is only known in a call")
        return scope.interface(name)

    try:
        value = constant(syntax, lookup)
    except NotConstant as error:
        if not isinstance(error.syntax, tree.ErrorExpr):
            report("E0306", error.syntax.span, f"a default has to be a number: {error.why}")
        return None
    _check_fits(value, kind, syntax, report)
    return value


def _check_fits(value: Number, kind: ParameterType | None, syntax: tree.Expr, report: Reporter) -> None:
    given = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
    if isinstance(kind, HostType):
        if given != kind.kind and not (given == "int" and kind.kind == "float"):
            report(
                "E0502",
                syntax.span,
                f"the default is {article(given)}, and the parameter is {article(kind.kind)}",
                help=f"make the parameter {article(given)}, or write another default",
            )
    elif isinstance(kind, TensorType):
        if given == "bool":
            if not kind.is_mask:
                report("E0501", syntax.span, "the default is a bool, and the parameter takes numbers")
        elif kind.is_mask:
            report("E0501", syntax.span, "the default is a number, and the parameter takes a Mask")
        elif given == "float" and kind.dtype is not None and kind.dtype.kind == "int":
            report("E0502", syntax.span, f"the default is a float, and the parameter holds {kind.dtype}")
        elif not _holds(kind, value):
            report("E0501", syntax.span, f"the default {value} isn't in {kind}")


def _holds(kind: TensorType, value: Number) -> bool:
    """Whether a number is in a domain, which its dtype can hold."""
    domain = kind.domain
    if kind.dtype is not None and kind.dtype.kind == "int":
        lowest, highest = kind.dtype.int_range
        if not lowest <= value <= highest:
            return False
    if isinstance(domain, IndexOf):
        below = domain.size.as_int()
        return below is not None and 0 <= value < below
    if domain in (BINARY, ADDITIVE):
        return value in ((0, 1) if domain == BINARY else (0, -inf))
    return not isinstance(domain, Range) or domain.interval.contains(Interval.point(value))


def article(kind: str) -> str:
    """`an int`, `a float`, `a bool`."""
    return f"an {kind}" if kind == "int" else f"a {kind}"
