"""Patterns: `b (h d) -> b h d`."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import MAX_NESTING, Cursor, span_of
from shapescript_syntax.parsing.numbers import parse_grouped_size, parse_int
from shapescript_syntax.parsing.types import after_dot, at_dot, too_deep
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import GROUPED, IDENT, INT, UNKNOWN
from shapescript_syntax.tree import Attribute, AxisExpr, ErrorExpr, Expr, Group, Ident, Pattern, Side

PATTERN_OPERATIONS: Final = ("rearrange", "reduce", "repeat", "einsum", "split")
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ()->")
_ARITHMETIC: Final = frozenset("+-*/")


def form_of_argument(c: Cursor, close: int) -> str:
    """What the argument here has outside brackets: `->` or `:`, whichever is first, or neither (empty)."""
    kinds, closers, i = c.kinds, c.closers, c.i
    while i < close:
        kind = kinds[i]
        if kind == "->" or kind == ":":
            return kind
        if kind == ",":
            break
        i = closers.get(i, i) + 1
    return ""


def parse_pattern(c: Cursor, operands: tuple[Expr, ...], start: int, close: int) -> Pattern:
    """`sides -> side`, up to the token at `close` at most. Several sides only where operands are given."""
    inputs = [_parse_side(c, close)]
    while operands and c.kind == "," and c.i < close:
        c.advance()
        inputs.append(_parse_side(c, close))
    if c.expect("->", help="a pattern is written inputs -> output, as in `b n -> n b`"):
        output = _parse_side(c, close)
    else:
        output = Side(c.empty_span(), ())
    start = min(start, inputs[0].span.start)
    return Pattern(span_of((start, max(start, c.end()))), operands, tuple(inputs), output)


def _parse_side(c: Cursor, close: int) -> Side:
    if c.i >= close or c.kind in ("->", ","):
        return Side(c.empty_span(), ())
    start = c.start()
    entries: list[AxisExpr] = []
    while c.i < close and c.kind not in ("->", ","):
        before = c.i
        entries.append(_parse_entry(c))
        if c.i == before:
            start = min(start, entries[0].span.start)
            return Side(span_of((start, c.end())), tuple(entries))
    return Side(c.span_from(start), tuple(entries))


def _parse_entry(c: Cursor) -> AxisExpr:
    kind = c.kind
    if kind is IDENT:
        span = c.span()
        ident = Ident(span, c.identifier())
        c.advance()
        if at_dot(c):
            name = after_dot(c)
            whole = c.span_from(span.start)
            return Attribute(whole, ident, name) if name is not None else ErrorExpr(whole)
        return ident
    if kind is INT:
        return parse_int(c)
    if kind is GROUPED:
        return parse_grouped_size(c)
    if kind == "(":
        return _parse_group(c)
    c.unexpected("an axis of the pattern", help=_entry_help(c))
    return ErrorExpr(c.empty_span())


def _entry_help(c: Cursor) -> str | None:
    if c.kind in _ARITHMETIC:
        return "a pattern has no arithmetic: name the size, and give it after the pattern, as in `h=8`"
    if c.kind == "...":
        return "a pattern names every axis"
    if c.kind == "[":
        return "a pattern has no square brackets, as in `b n -> n b`; axes that become one are in ( )"
    if c.kind is UNKNOWN:
        return f"a new name in a pattern takes the axis's size: write `{c.token_text()[1:]}`"
    return None


def _parse_group(c: Cursor) -> AxisExpr:
    start = c.start()
    close = c.closers[c.i]
    if c.nesting >= MAX_NESTING:
        return too_deep(c)
    c.nesting += 1
    c.advance()
    entries: list[AxisExpr] = []
    while c.i < close:
        before = c.i
        entries.append(_parse_entry(c))
        if c.i == before:
            c.go_to(close)
    c.nesting -= 1
    c.advance()
    return Group(c.span_from(start), tuple(entries))


def reject_quoted_pattern(c: Cursor) -> ErrorExpr:
    """Reports a pattern in a string, as einops has them."""
    span = c.span()
    pattern = c.token_text().strip('"')
    c.report(
        "E0201",
        "patterns are written without quotes",
        span,
        "expected a pattern, found a string",
        help=f"write `{pattern}`",
        fixes=(Fix("leave out the quotes", ((span, pattern),)),),
    )
    c.advance()
    return ErrorExpr(span)


def reject_pattern(c: Cursor, span: Span, callee: str | None) -> None:
    """Reports a pattern where none may stand (E0203)."""
    names = ", ".join(f"`{name}`" for name in PATTERN_OPERATIONS[:-1]) + f" or `{PATTERN_OPERATIONS[-1]}`"
    pattern = c.text_of(span)
    plain = len(pattern) < 60 and not set(pattern) - _PLAIN and not pattern.isspace()
    shown = pattern if plain else "b n -> n b"
    where = f"`{callee}` takes no pattern" if callee else "a pattern can't stand on its own"
    c.report(
        "E0203",
        where,
        span,
        "a pattern",
        help=f"a pattern is an argument of {names}, as in `rearrange(x, {shown})`",
    )
