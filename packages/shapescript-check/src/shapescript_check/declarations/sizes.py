"""Size expressions as written, worked out to sizes."""

from __future__ import annotations

from collections.abc import Callable

from shapescript_check.declarations.reporting import Reporter as Report
from shapescript_check.sizes import Size, SizeTooLarge
from shapescript_syntax import tree

NameSize = Callable[[tree.Ident | tree.Attribute], Size | None]
"""The size of a name, or None once that has been reported."""


def evaluate(syntax: tree.Expr | tree.AxisExpr, size_of: NameSize, report: Report) -> Size | None:
    """The size that an expression of numbers, names and `+ - * /` stands for.

    Reports E0401 for a size below 0, E0402 for a division that isn't exact and E0414 for a size past 128 bits, and
    gives None then.
    """
    try:
        size = _evaluate(syntax, size_of, report)
    except SizeTooLarge:
        report("E0414", syntax.span, "this size doesn't fit in 128 bits")
        return None
    value = size.as_int() if size is not None else None
    if size is not None and value is not None and value < 0:
        report("E0401", syntax.span, f"a size is never negative, and this is {size.text_with_value()}")
        return None
    return size


def _evaluate(syntax: tree.Expr | tree.AxisExpr, size_of: NameSize, report: Report) -> Size | None:
    if isinstance(syntax, tree.Int):
        return Size.number(syntax.value)
    if isinstance(syntax, tree.Ident | tree.Attribute):
        return size_of(syntax)
    if not isinstance(syntax, tree.Binary):
        return None
    left = _evaluate(syntax.left, size_of, report)
    right = _evaluate(syntax.right, size_of, report)
    if left is None or right is None:
        return None
    if syntax.op == "+":
        return left + right
    if syntax.op == "-":
        return left - right
    if syntax.op == "*":
        return left * right
    quotient = Size.divide(left, right) if right.as_int() != 0 else None
    if quotient is None:
        report(
            "E0402",
            syntax.span,
            f"{left.text_with_value()} isn't divisible by {right.text_with_value()}",
            help=_turned_around(left, right),
        )
    return quotient


def _turned_around(whole: Size, divisor: Size) -> str | None:
    """How to say a size that a generic one would have to be divided for; dims have values, which don't divide."""
    if whole.as_int() is not None or divisor.as_int() == 0 or len(str(divisor).split()) > 1:
        return None
    return f"turn it around: give this size a name, such as `part`, and write the whole as {divisor}*part"
