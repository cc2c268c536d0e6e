"""Statements that bind names or change fields, and those that would in other languages."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import Cursor, span_of
from shapescript_syntax.parsing.lines import parse_line_value
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import IDENT
from shapescript_syntax.tree import Bind, ErrorExpr, ErrorStmt, Name, SetField, Stmt


def parse_bind(c: Cursor) -> Stmt:
    """`a, b = e`."""
    start = c.start()
    names: list[Name] = []
    holes = 0
    while not names or c.kind == ",":
        if names:
            c.advance()
        if c.kind == "_":
            holes += 1
            names.append(_reject_hole(c, holes))
        else:
            names.append(c.parse_name("a name"))
        if c.panicking:
            break
    if not c.panicking:
        c.expect("=", "`=` after the names that it binds")
    if c.panicking:
        return _recovered_bind(c, start, names)
    value = parse_line_value(c)
    if holes:
        value = ErrorExpr(value.span)
        names = [name for name in names if name.text]
        if not names:
            return ErrorStmt(span_of((start, max(start, value.span.end))))
    return Bind(span_of((start, max(value.span.end, names[-1].span.end))), tuple(names), value)


def reject_tuple(c: Cursor) -> Stmt:
    """`(a, b) = e`, which still binds the names."""
    start, close = c.start(), c.closers[c.i]
    inside = c.text[c.ends[c.i] : c.starts[close]].strip()
    span = Span(start, c.ends[close])
    plain = "\n" not in inside
    c.report(
        "E0201",
        "names are bound without brackets",
        span,
        "there are no tuples",
        help=f"write `{inside} = …`" if plain else None,
        fixes=(Fix("leave out the brackets", ((span, inside),)),) if plain else (),
    )
    names = [
        Name(Span(c.starts[i], c.ends[i]), c.text[c.starts[i] : c.ends[i]])
        for i in range(c.i, close)
        if c.kinds[i] is IDENT
    ]
    c.go_to(close + 1)
    c.advance()
    value = parse_line_value(c)
    whole = span_of((start, max(value.span.end, span.end)))
    return Bind(whole, tuple(names), ErrorExpr(value.span)) if names else ErrorStmt(whole)


def _reject_hole(c: Cursor, which: int) -> Name:
    """Reports the first `_` that a statement binds (E0205)."""
    span = c.span()
    if which == 1:
        c.report(
            "E0205",
            "`_` can't be bound",
            span,
            "expected a name",
            help="give the result a name, even one that nothing uses",
        )
    c.advance()
    return Name(span, "")


def _recovered_bind(c: Cursor, start: int, names: list[Name]) -> Stmt:
    """A binding that went wrong before its `=`: it still binds names, or uses of them would be reported too."""
    known = tuple(name for name in names if name.text)
    binds = "=" in c.text[c.start() : c.rest_of_line().end]
    end = c.end()
    c.skip_line()
    value = ErrorExpr(span_of((end, end)))
    span = span_of((start, max(start, end)))
    return Bind(span, known, value) if known and binds else ErrorStmt(span)


def parse_annotated(c: Cursor) -> Stmt:
    """`x: T = e`, which still binds x."""
    start = c.start()
    name = c.parse_name("a name")
    c.fail(
        "a name takes the type of its value",
        label="expected `=`",
        help=f"leave the type out, or assert it, as in `{name.text} = e as [n]`",
    )
    return _recovered_bind(c, start, [name])


def parse_set_field(c: Cursor) -> Stmt:
    """`m.w = e`."""
    start = c.start()
    target = c.parse_name("a model")
    c.advance()
    field = c.parse_name("a field")
    c.advance()
    value = parse_line_value(c)
    return SetField(span_of((start, max(value.span.end, field.span.end))), target, field, value)


def reject_update(c: Cursor) -> Stmt:
    """`x += 1`, which still binds x."""
    start = c.start()
    name = c.parse_name("a name")
    op = c.token_text()
    span = Span(c.start(), c.ends[c.i + 1])
    c.fail(
        f"there is no `{op}=`",
        span,
        "expected `=`",
        help=f"write `{name.text} = {name.text} {op} …`",
        fixes=(Fix("write it out", ((span, f"= {name.text} {op}"),)),),
    )
    c.panicking = False
    c.advance()
    c.advance()
    value = parse_line_value(c)
    return Bind(span_of((start, max(value.span.end, span.end))), (name,), ErrorExpr(value.span))
