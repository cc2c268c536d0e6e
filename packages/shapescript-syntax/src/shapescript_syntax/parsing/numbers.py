"""Literals: numbers, strings and grouped sizes."""

from __future__ import annotations

import re
from typing import Final

from shapescript_syntax.parsing.cursor import Cursor, normalized
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import KEYWORDS
from shapescript_syntax.tree import ErrorExpr, Float, GroupedSize, Int, Name, String

_MAX_INT: Final = 2**64 - 1
_DIGITS: Final = re.compile("[0-9]+(?:_[0-9]+)*")
_BASED: Final = re.compile("0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64}|0[oO][0-7]{1,21}")
"""A number that Python reads in another base."""
_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}


def parse_int(c: Cursor) -> Int | ErrorExpr:
    """An integer (E0208 for one that is too large)."""
    span = c.span()
    value = _read_int(c, span)
    c.advance()
    return ErrorExpr(span) if value is None else Int(span, value)


def _read_int(c: Cursor, span: Span) -> int | None:
    text = c.text_of(span)
    if len(text) < 20:
        return int(text)
    digits = text.replace("_", "").lstrip("0") or "0"
    if len(digits) <= 20 and int(digits) <= _MAX_INT:
        return int(digits)
    shown = text if len(text) <= 40 else text[:40] + "…"
    c.report(
        "E0208",
        f"the integer {shown} is too large",
        span,
        "larger than 2^64 - 1",
        help=f"the largest integer is {_MAX_INT}; a float such as 1e30 can be larger",
    )
    return None


def parse_float(c: Cursor) -> Float:
    span = c.span()
    text = c.text_of(span)
    c.advance()
    return Float(span, float(text), text)


def parse_string(c: Cursor) -> String:
    span = c.span()
    text = c.text_of(span)[1:].removesuffix('"')
    c.advance()
    return String(span, _unescaped(text) if "\\" in text else text)


def _unescaped(text: str) -> str:
    parts = []
    i = 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            parts.append(_ESCAPES.get(text[i + 1], text[i : i + 2]))
            i += 2
        else:
            parts.append(text[i])
            i += 1
    return "".join(parts)


def parse_grouped_size(c: Cursor) -> GroupedSize | ErrorExpr:
    """`16gh`, where it may stand (E2203 for `16in`, whose name is a keyword)."""
    span = c.span()
    text = c.text_of(span)
    digits = _digits(text)
    name = text[digits:]
    if name in KEYWORDS:
        return _reject_keyword(c, text[:digits], name)
    value = _read_int(c, Span(span.start, span.start + digits))
    c.advance()
    if value is None:
        return ErrorExpr(span)
    name_span = Span(span.start + digits, span.end)
    return GroupedSize(span, value, Name(name_span, name if name.isascii() else normalized(name)))


def reject_grouped_size(c: Cursor, why: str) -> ErrorExpr:
    """A grouped size where none may stand (E2203)."""
    span = c.span()
    text = c.text_of(span)
    digits = _digits(text)
    if text[digits:] in KEYWORDS:
        return _reject_keyword(c, text[:digits], text[digits:])
    based = _BASED.fullmatch(text)
    c.report(
        "E2203",
        f"the grouped size `{text}` can't be used here: {why}",
        span,
        "a grouped size is a whole axis",
        help=f"numbers are decimal: write `{int(text, 0)}`"
        if based
        else f"for the product, write `{text[:digits]} * {text[digits:]}`",
    )
    c.advance()
    return ErrorExpr(span)


def _reject_keyword(c: Cursor, number: str, keyword: str) -> ErrorExpr:
    span = c.span()
    c.report(
        "E2203",
        f"`{number}{keyword}` can't be a grouped size: `{keyword}` is a keyword",
        span,
        "a number touching a keyword",
        help=f"if they are two things, write `{number} {keyword}`",
    )
    c.advance()
    return ErrorExpr(span)


def _digits(text: str) -> int:
    """How much of a grouped size is its number."""
    match = _DIGITS.match(text)
    assert match is not None
    return match.end()
