"""Arguments of calls, and indices.

Both are made of expressions, which contain them: the expression parser passes itself in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from shapescript_syntax.parsing.cursor import Cursor
from shapescript_syntax.parsing.mistakes import explain_missing_operand
from shapescript_syntax.parsing.patterns import (
    PATTERN_OPERATIONS,
    form_of_argument,
    parse_pattern,
    reject_pattern,
    reject_quoted_pattern,
)
from shapescript_syntax.parsing.types import parse_shape, parse_type
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest
from shapescript_syntax.tokens import IDENT, STRING
from shapescript_syntax.tree import (
    Argument,
    Call,
    ErrorExpr,
    Expr,
    Ident,
    Index,
    Juxtaposed,
    Name,
    Pattern,
    ShapeExpr,
    Slice,
)

ParseExpression: TypeAlias = Callable[[Cursor], Expr]

SHAPE_OPERATIONS: Final = frozenset({"zeros", "ones", "full", "normal", "uniform"})
"""Calls that take a shape, written as in a type."""

TYPE_OPERATIONS: Final = frozenset({"load"})
"""Calls that take types. Those that start with a shape are refused later, so only their shape is kept."""


def parse_call(c: Cursor, callee: Expr, start: int, parse_expression: ParseExpression) -> Call:
    """The arguments after a callee, whose opening bracket is the current token."""
    close = c.closers[c.i]
    name = callee.name if type(callee) is Ident else ""
    c.advance()
    arguments: list[Argument] = []
    while c.i < close:
        arguments.append(_parse_argument(c, name, arguments, close, parse_expression))
        if not _end_part(c, close, "`,` or `)`", name):
            # What was read of it isn't what was meant, so nothing is said of it.
            broken = arguments[-1]
            c.forget_strays(broken.span.start)
            arguments[-1] = Argument(broken.span, broken.name, ErrorExpr(broken.value.span), None)
    c.panicking = False
    c.advance()
    return Call(c.span_from(start), callee, tuple(arguments))


def _end_part(c: Cursor, close: int, what: str, callee: str = "") -> bool:
    """After an argument or an index: the comma, or the closing bracket, which isn't read. Whether one was there."""
    whole = c.kind == "," or c.i >= close
    if not whole:
        if callee in PATTERN_OPERATIONS and c.kind is IDENT and c.kinds[c.i - 1] is IDENT:
            c.unexpected(what, help="a pattern has a `->`, as in `b n -> n b`")
        else:
            explain_missing_operand(c, what)
        c.skip_to_comma(close)
    if c.i < close:
        c.i += 1
        c.kind = c.kinds[c.i]
        c.panicking = False
    return whole


def _parse_argument(
    c: Cursor, callee: str, before: list[Argument], close: int, parse_expression: ParseExpression
) -> Argument:
    value: Expr | Pattern | ShapeExpr
    start = c.starts[c.i]
    name = None
    mut = None
    if c.kind is IDENT:
        following = c.kinds[c.i + 1]
        if following == "," or following == ")":
            value = parse_expression(c)
            return Argument(value.span, None, value, None)
        if following == "=":
            name = Name(c.span(), c.identifier())
            c.advance()
            c.advance()
            following = c.kinds[c.i + 1]
        if following is IDENT and c.is_word("mut"):
            mut = c.span()
            c.advance()
            if name is None and c.kinds[c.i + 1] == "=":
                name = _name_after_mut(c, mut)
    if (c.patterns or callee in PATTERN_OPERATIONS) and name is None and mut is None:
        form = form_of_argument(c, close)
        if form:
            return _parse_pattern_argument(c, callee, before, close, form, parse_expression)
    if c.kind == "[" and (callee in SHAPE_OPERATIONS or closest(callee, SHAPE_OPERATIONS)):
        value = parse_shape(c)
    elif c.kind == "[" and callee in TYPE_OPERATIONS:
        written = parse_type(c)
        value = ShapeExpr(written.span, written.shape.axes if written.shape is not None else ())
    elif c.kind is STRING and callee in PATTERN_OPERATIONS and "->" in c.token_text():
        value = reject_quoted_pattern(c)
    else:
        value = parse_expression(c)
    if c.kind == ":" and type(value) is Ident and _leads_to_lambda(c, close):
        c.fail(
            "a lambda's parameter has no type",
            help=f"what is iterated decides it: write `{value.name} => ...`",
        )
        c.skip_to_comma(close)
        value = ErrorExpr(value.span)
    return Argument(c.span_from(min(start, value.span.start)), name, value, mut)


def _name_after_mut(c: Cursor, mut: Span) -> Name:
    """The name in `mut m=model`, which is to be `m=mut model`."""
    name = Name(c.span(), c.identifier())
    c.advance()
    c.report(
        "E0201",
        "`mut` stands before the value of an argument, not before its name",
        mut,
        help=f"write {name.text}=mut and then the value",
    )
    c.advance()
    return name


def _leads_to_lambda(c: Cursor, close: int) -> bool:
    """Whether a `=>` follows in the argument."""
    i = c.i
    while i < close and c.kinds[i] != ",":
        if c.kinds[i] == "=>":
            return True
        i = c.closers.get(i, i) + 1
    return False


def _parse_pattern_argument(
    c: Cursor,
    callee: str,
    before: list[Argument],
    close: int,
    form: str,
    parse_expression: ParseExpression,
) -> Argument:
    """A pattern; with a `:`, one that takes the positional arguments just before it as its operands."""
    start = c.start()
    operands: list[Expr] = []
    if form == ":":
        last = parse_expression(c)
        start = min(start, last.span.start)
        if not c.expect(":"):
            return Argument(c.span_from(start), None, last, None)
        while before and before[-1].name is None and before[-1].mut is None:
            operand = before[-1].value
            if isinstance(operand, Pattern | ShapeExpr):
                break
            start = before.pop().span.start
            operands.append(operand)
        operands.reverse()
        operands.append(last)
    pattern_start = c.start() if form == "->" else start
    pattern = parse_pattern(c, tuple(operands), pattern_start, close)
    if callee not in PATTERN_OPERATIONS and closest(callee, PATTERN_OPERATIONS) is None:
        reject_pattern(c, pattern.span, callee)
        return Argument(pattern.span, None, ErrorExpr(pattern.span), None)
    return Argument(pattern.span, None, pattern, None)


# --- indices -----------------------------------------------------------------------------------------------


def parse_index(c: Cursor, value: Expr, start: int, parse_expression: ParseExpression) -> Index:
    """The indices after a value, whose opening bracket is the current token."""
    close = c.closers[c.i]
    c.advance()
    indices: list[Expr | Slice | Juxtaposed] = []
    while c.i < close:
        indices.append(_parse_one_index(c, close, parse_expression))
        if not _end_part(c, close, "`,` or `]`"):
            indices[-1] = ErrorExpr(indices[-1].span)
    c.panicking = False
    c.advance()
    return Index(c.span_from(start), value, tuple(indices))


def _parse_one_index(c: Cursor, close: int, parse_expression: ParseExpression) -> Expr | Slice | Juxtaposed:
    start = c.start()
    if c.kind == ":":
        return _parse_slice(c, None, start, close, parse_expression)
    first = parse_expression(c)
    start = min(start, first.span.start)
    if c.kind == ":":
        return _parse_slice(c, first, start, close, parse_expression)
    items = [first]
    while c.i < close and c.kind != "," and not c.panicking:
        before = c.i
        items.append(parse_expression(c))
        if c.i == before:
            break
    return Juxtaposed(c.span_from(start), tuple(items)) if len(items) > 1 else first


def _parse_slice(
    c: Cursor, lo: Expr | None, start: int, close: int, parse_expression: ParseExpression
) -> Slice:
    """`:hi:step`, after the low end."""
    c.advance()
    hi = parse_expression(c) if c.i < close and c.kind not in (":", ",") else None
    step = None
    if c.maybe(":") and c.i < close and c.kind != ",":
        step = parse_expression(c)
    return Slice(Span(start, c.ends[c.i - 1]), lo, hi, step)
