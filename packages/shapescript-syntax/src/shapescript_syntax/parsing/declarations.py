"""Top-level declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from shapescript_syntax.parsing.cursor import Cursor, span_of
from shapescript_syntax.parsing.docs import report_doc, take_doc
from shapescript_syntax.parsing.expressions import parse_whole_expression
from shapescript_syntax.parsing.foreign import declaration_meant, reject_top_level
from shapescript_syntax.parsing.functions import parse_export, parse_extern, parse_fn
from shapescript_syntax.parsing.lines import parse_line_end, reject_indentation
from shapescript_syntax.parsing.mistakes import explain_missing_operand
from shapescript_syntax.parsing.records import parse_data, parse_devices, parse_logs, parse_model
from shapescript_syntax.parsing.statements import parse_statement
from shapescript_syntax.parsing.types import parse_shape, parse_size
from shapescript_syntax.tokens import IDENT, INDENT
from shapescript_syntax.tree import (
    Alias,
    Devices,
    Dim,
    Domain,
    ErrorExpr,
    ErrorItem,
    Import,
    ImportPython,
    Item,
    Name,
    Stmt,
)

_Parse: TypeAlias = Callable[[Cursor, int, str | None], Item]


def parse_item(c: Cursor) -> Item | Stmt:
    """One top-level line with the block under it. In a notebook's cell it may be a statement."""
    kind = c.kind
    parse = _DECLARATIONS.get(kind)
    if parse is None and kind is IDENT:
        parse = _contextual(c)
    if parse is not None:
        return _with_doc(c, parse)
    if kind is INDENT:
        span = reject_indentation(c)
        return ErrorItem(span, None)
    if c.cell:
        return parse_statement(c)
    if kind is IDENT:
        meant = declaration_meant(c)
        if meant:
            return _with_doc(c, _BY_WORD[meant])
    return _skip_item(c)


def _with_doc(c: Cursor, parse: _Parse) -> Item:
    start = c.start()
    doc = take_doc(c, start)
    item = parse(c, start, doc[0] if doc else None)
    if doc and isinstance(item, Import | Devices):
        what = "`import`" if isinstance(item, Import) else "`devices`"
        report_doc(c, doc[1], f"{what} takes no documentation")
    return item


def _contextual(c: Cursor) -> _Parse | None:
    """What parses a line that starts with a name, if the name is a keyword there."""
    parse = _CONTEXTUAL.get(c.token_text())
    if parse is None:
        return None
    following = c.kinds[c.i + 1]
    if parse is parse_export:
        return parse if following in ("fn", "extern") else None
    if parse is parse_devices:
        return parse if following is IDENT or not (c.cell or following in ("=", ".", ",", "(")) else None
    return parse if following is IDENT else None


def _skip_item(c: Cursor) -> ErrorItem:
    span = c.rest_of_line()
    take_doc(c, span.start)
    name = reject_top_level(c)
    c.skip_line()
    return ErrorItem(span, name)


# --- dims and domains --------------------------------------------------------------------------------------


def _parse_dim(c: Cursor, start: int, doc: str | None) -> Item:
    c.advance()
    name = c.parse_name("the dim's name")
    if c.panicking or not c.expect("=", "`=` and the dim's value", help="as in `dim Width = 512`"):
        return _failed(c, start, name)
    if c.kind == "[":
        shape = parse_shape(c)
        span = c.span_from(start)
        parse_line_end(c, start, None)
        return Alias(span, name, shape, doc)
    value_start = c.start()
    value = parse_size(c, "the dim's value")
    end = max(c.end(), start)
    if not parse_line_end(c, value_start, None):
        value = ErrorExpr(span_of((value_start, max(value_start, end))))
    return Dim(span_of((start, max(end, value.span.end))), name, value, doc)


def _parse_domain(c: Cursor, start: int, doc: str | None) -> Item:
    c.advance()
    name = c.parse_name("the domain's name")
    if c.panicking or not c.expect("=", "`=` and an interval", help="as in `domain Positive = (0, inf)`"):
        return _failed(c, start, name)
    if c.kind not in ("(", "["):
        c.unexpected("an interval", help="write its ends in brackets, as in `[0, 1]` or `(0, inf)`")
        return _failed(c, start, name)
    close = c.closers[c.i]
    lo_open = c.kind == "("
    c.advance()
    lo = parse_whole_expression(c)
    if not c.panicking:
        c.expect(",", "`,` and the interval's upper end")
    if c.panicking:
        return _failed(c, start, name)
    hi = parse_whole_expression(c)
    if c.i != close:
        explain_missing_operand(c, "`]` or `)`")
        return _failed(c, start, name)
    hi_open = c.kind == ")"
    c.advance()
    span = c.span_from(start)
    parse_line_end(c, start, None)
    return Domain(span, name, lo, hi, lo_open, hi_open, doc)


def _failed(c: Cursor, start: int, name: Name) -> ErrorItem:
    """A declaration that could not be read."""
    span = span_of((start, max(start, c.end())))
    c.skip_line()
    return ErrorItem(span, name if name.text else None)


# --- imports -----------------------------------------------------------------------------------------------


def _parse_import(c: Cursor, start: int, doc: str | None) -> Item:
    c.advance()
    python = c.is_word("python") and c.kinds[c.i + 1] is IDENT
    if python:
        c.advance()
    parts = [c.parse_name("a Python module" if python else "a file's name")]
    while c.kind == "." and not c.panicking:
        c.advance()
        parts.append(c.parse_name("a name after the `.`"))
    alias = None
    if c.kind == "as" and not c.panicking:
        if python:
            c.fail(
                "`import python` has no `as`",
                label="expected the end of the line",
                help=f"it binds `{parts[0].text}`, as `import` does in Python",
            )
        else:
            c.advance()
            alias = c.parse_name("a name after `as`")
    elif c.kind == "," and not c.panicking:
        c.fail("an import has one file", label="expected the end of the line", help="write a line for each")
    span = span_of((start, max(start, c.end())))
    if c.panicking:
        named = [part for part in parts if part.text] or parts
        bound = alias or (named[0] if python else named[-1])
        return _failed(c, start, bound)
    parse_line_end(c, start, None)
    if python:
        return ImportPython(span, tuple(parts), doc)
    return Import(span, tuple(parts), alias)


_DECLARATIONS: Final[dict[str, _Parse]] = {
    "dim": _parse_dim,
    "domain": _parse_domain,
    "fn": parse_fn,
    "extern": parse_extern,
    "import": _parse_import,
}
_CONTEXTUAL: Final[dict[str, _Parse]] = {
    "model": parse_model,
    "data": parse_data,
    "logs": parse_logs,
    "devices": parse_devices,
    "export": parse_export,
}
_BY_WORD: Final = {**_DECLARATIONS, **_CONTEXTUAL}
