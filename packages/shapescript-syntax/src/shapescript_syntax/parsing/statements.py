"""Statements and blocks."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.bindings import (
    parse_annotated,
    parse_bind,
    parse_set_field,
    reject_tuple,
    reject_update,
)
from shapescript_syntax.parsing.cursor import MAX_BLOCKS, MAX_LOOPS, Cursor, span_of
from shapescript_syntax.parsing.expressions import parse_loop_source, parse_whole_expression
from shapescript_syntax.parsing.foreign import explain_foreign_statement, keyword_meant
from shapescript_syntax.parsing.lines import (
    parse_line_end,
    parse_line_value,
    reject_indentation,
    skipped_line,
)
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import DECLARATION_KEYWORDS, DEDENT, EOF, IDENT, INDENT, NEWLINE
from shapescript_syntax.tree import (
    Bind,
    ErrorExpr,
    ErrorStmt,
    Expr,
    ExprStmt,
    For,
    Ident,
    If,
    Name,
    Return,
    Stmt,
)

_CONDITION: Final = "the `if` condition"
_ASSIGNABLE: Final = frozenset({"+", "-", "*", "/", "@"})


def parse_statement(c: Cursor) -> Stmt:
    """One statement, with its line break and the blocks under it."""
    kind = c.kind
    if kind is IDENT:
        following = c.kinds[c.i + 1]
        if following == "=" or following == ",":
            return parse_bind(c)
        if following == "." and c.kinds[c.i + 2] is IDENT and c.kinds[c.i + 3] == "=":
            return parse_set_field(c)
        if following == ":":
            opens_a_block = c.kinds[c.i + 2] is NEWLINE
            return skipped_line(c) if opens_a_block and explain_foreign_statement(c) else parse_annotated(c)
        meant = keyword_meant(c)
        if meant in _STATEMENTS:
            return _STATEMENTS[meant](c)
        if explain_foreign_statement(c):
            return skipped_line(c)
        return _parse_expression_statement(c)
    return _STATEMENTS.get(kind, _parse_expression_statement)(c)


def parse_block(c: Cursor, what: str, colon: bool = True) -> tuple[Stmt, ...]:
    """`:` and an indented block. `what` is what the block belongs to, as in "`if`".

    An ErrorStmt stands for a block that isn't there, so nobody takes it for one that does nothing.
    """
    if colon and not _parse_colon(c, what):
        return (ErrorStmt(c.empty_span()),)
    if c.kind is not NEWLINE:
        one_line = c.kind is not INDENT and c.kind not in (DEDENT, EOF)
        c.fail(
            f"expected the end of the line, found {c.found()}",
            label="expected an indented block on the next line",
            help="a block starts on a line of its own, indented" if one_line else None,
        )
        c.skip_line()
        return (ErrorStmt(c.empty_span()),)
    c.advance()
    if c.kind is not INDENT:
        c.fail(
            f"expected an indented block after {what}",
            c.empty_span(),
            "nothing is indented under this",
            help="indent the lines that belong to it by 4 spaces",
        )
        c.panicking = False
        return (ErrorStmt(c.empty_span()),)
    return _parse_statements(c)


def _parse_colon(c: Cursor, what: str) -> bool:
    """The colon before a block. A missing one is reported, and taken to be there if the block is."""
    if c.maybe(":"):
        return True
    at = c.empty_span()
    if c.kind is NEWLINE and c.kinds[c.i + 1] is INDENT:
        c.report(
            "E0201",
            f"expected `:` after {what}, found the end of the line",
            at,
            "expected `:`",
            help="end the line with `:`",
            fixes=(Fix("add `:`", ((at, ":"),)),),
        )
        return True
    if c.kind == "=" and what == _CONDITION:
        c.fail(
            "`=` binds a name; a comparison is `==`",
            label="expected `==` or `:`",
            help="write `==`",
            fixes=(Fix("write `==`", ((c.span(), "=="),)),),
        )
    else:
        c.unexpected(f"`:` after {what}")
    # The block under the line is parsed all the same, for what else it has to say.
    while c.kind is not NEWLINE and c.kind not in (DEDENT, EOF, INDENT):
        c.advance()
    c.panicking = False
    if c.kind is NEWLINE and c.kinds[c.i + 1] is INDENT:
        return True
    c.maybe(NEWLINE)
    return False


def _parse_statements(c: Cursor) -> tuple[Stmt, ...]:
    """The statements of an indented block, whose INDENT is the current token."""
    if c.blocks >= MAX_BLOCKS:
        return (_reject_deep_block(c, f"blocks may be {MAX_BLOCKS} levels deep"),)
    c.blocks += 1
    c.advance()
    statements: list[Stmt] = []
    while c.kind is not DEDENT and c.kind is not EOF:
        before = c.i
        statements.append(parse_statement(c))
        c.check_progress(before)
    c.maybe(DEDENT)
    c.blocks -= 1
    return tuple(statements)


def _reject_deep_block(c: Cursor, limit: str) -> ErrorStmt:
    c.fail(
        f"this is nested too deeply: {limit}",
        span_of((c.start(), c.start())),
        "one level too many",
        help="move the inner block to a function of its own",
    )
    c.panicking = False
    start = c.start()
    c.skip_block()
    return ErrorStmt(span_of((start, max(start, c.end()))))


# --- simple statements -------------------------------------------------------------------------------------


def _parse_return(c: Cursor) -> Stmt:
    start = c.start()
    keyword = c.span()
    if not c.in_function:
        c.fail(
            "`return` outside a function", label="expected a statement", help="to show a value, `print` it"
        )
        return skipped_line(c)
    c.advance()
    if c.kind is NEWLINE:
        c.advance()
        return Return(keyword, None)
    value = parse_line_value(c)
    return Return(span_of((start, max(value.span.end, keyword.end))), value)


def _parse_expression_statement(c: Cursor) -> Stmt:
    start = c.start()
    if c.kind is IDENT and c.kinds[c.i + 1] in _ASSIGNABLE and c.kinds[c.i + 2] == "=":
        return reject_update(c)
    if c.kind == "_" and c.kinds[c.i + 1] in ("=", ","):
        return parse_bind(c)
    if c.kind == "(" and c.kinds[c.closers[c.i] + 1] == "=" and "," in c.kinds[c.i : c.closers[c.i]]:
        return reject_tuple(c)
    names = _leading_names(c)
    value = parse_whole_expression(c)
    start = min(start, value.span.start)
    end = c.end()
    if parse_line_end(c, start, value) and not isinstance(value, ErrorExpr):
        return ExprStmt(span_of((start, max(start, end))), value)
    if isinstance(value, Ident):
        # Names and something else: it may be a binding whose `=` or comma is missing.
        end = max(end, names[-1].span.end)
        return Bind(span_of((start, end)), names, ErrorExpr(span_of((end, end))))
    return ErrorStmt(span_of((start, max(start, end))))


def _leading_names(c: Cursor) -> tuple[Name, ...]:
    """The names that a line starts with."""
    names: list[Name] = []
    i = c.i
    while c.kinds[i] is IDENT and (not names or c.kinds[i + 1] not in ("(", "[", ".")):
        span = Span(c.starts[i], c.ends[i])
        names.append(Name(span, c.text_of(span)))
        i += 1
    return tuple(names)


# --- compound statements -----------------------------------------------------------------------------------


def _parse_for(c: Cursor) -> Stmt:
    start = c.start()
    c.advance()
    variable = c.parse_name("the loop's variable")
    if c.kind == "," and not c.panicking:
        c.fail(
            "a loop has one variable",
            label="expected `in`",
            help="loop over a range, and take the parts by indexing",
        )
    iterable: Expr = ErrorExpr(c.empty_span())
    if not c.panicking and c.expect("in"):
        iterable = parse_loop_source(c)
    header = span_of((start, max(start, c.end())))
    if c.panicking:
        _skip_to_colon(c)
    if c.loops >= MAX_LOOPS:
        deep = _skip_header(c, f"loops may be {MAX_LOOPS} levels deep")
        return For(span_of((start, max(start, c.end()))), header, variable, iterable, (deep,))
    c.loops += 1
    body = parse_block(c, "the `for`")
    c.loops -= 1
    return For(span_of((start, max(header.end, body[-1].span.end))), header, variable, iterable, body)


def _skip_header(c: Cursor, limit: str) -> ErrorStmt:
    """Skips to the block that is one too many, and past it."""
    while c.kind is not NEWLINE and c.kind not in (DEDENT, EOF, INDENT):
        c.advance()
    c.maybe(NEWLINE)
    return _reject_deep_block(c, limit) if c.kind is INDENT else ErrorStmt(c.empty_span())


def _skip_to_colon(c: Cursor) -> None:
    """After a mistake in a header, goes to the colon that ends it, if there is one."""
    last = c.i
    while c.kinds[last] is not NEWLINE and c.kinds[last] not in (DEDENT, EOF):
        last += 1
    if last > c.i and c.kinds[last - 1] == ":":
        last -= 1
    c.go_to(last)
    if c.kind == ":":
        c.panicking = False


def _parse_if(c: Cursor) -> Stmt:
    start = c.start()
    c.advance()
    condition = parse_whole_expression(c)
    header = span_of((start, max(start, c.end())))
    if c.panicking:
        _skip_to_colon(c)
    body = parse_block(c, _CONDITION)
    orelse = _maybe_else(c)
    end = max(header.end, body[-1].span.end, orelse[-1].span.end if orelse else 0)
    return If(span_of((start, end)), header, condition, body, orelse)


def _maybe_else(c: Cursor) -> tuple[Stmt, ...] | None:
    if c.kind == "else":
        if c.kinds[c.i + 1] != "if":
            c.advance()
            return parse_block(c, "`else`")
        c.fail(
            "there is no `else if`",
            Span(c.start(), c.ends[c.i + 1]),
            "expected `else:`",
            help="nest an `if` in the `else` block",
        )
        c.advance()
    elif c.is_word("elif") and c.kinds[c.i + 1] not in ("=", ",", "."):
        c.fail("there is no `elif`", label="expected `else:`", help="nest an `if` in an `else` block")
    else:
        return None
    c.panicking = False
    if c.blocks >= MAX_BLOCKS:
        while c.kind is not NEWLINE and c.kind not in (DEDENT, EOF):
            c.advance()
        return (skipped_line(c),)
    c.blocks += 1
    nested = _parse_if(c)
    c.blocks -= 1
    return (nested,)


# --- what is no statement ----------------------------------------------------------------------------------


def _reject_else(c: Cursor) -> Stmt:
    c.fail(
        "this `else` has no `if`",
        label="expected a statement",
        help="it goes on the line after an `if` block, indented like the `if`",
    )
    return skipped_line(c)


def _reject_declaration(c: Cursor) -> Stmt:
    start = c.start()
    names = _declared_names(c)
    c.fail(
        f"expected a statement, found `{c.kind}`: declarations belong outside functions",
        label="a declaration in a function",
        help="move it to the left edge of the file",
    )
    skipped = skipped_line(c)
    if not names:
        return skipped
    # What it declares is known, or uses of it would be reported too.
    end = max(skipped.span.end, names[-1].span.end)
    return Bind(span_of((start, end)), names, ErrorExpr(skipped.span))


def _declared_names(c: Cursor) -> tuple[Name, ...]:
    """The names that a declaration may have, which the current token starts."""
    names: list[Name] = []
    i = c.i + 1
    while c.kinds[i] is IDENT or c.kinds[i] == ".":
        if c.kinds[i] is IDENT:
            span = Span(c.starts[i], c.ends[i])
            names.append(Name(span, c.text_of(span)))
        i += 1
    return tuple(names)


def _reject_indent(c: Cursor) -> Stmt:
    return ErrorStmt(reject_indentation(c))


_STATEMENTS: Final = {
    "return": _parse_return,
    "for": _parse_for,
    "if": _parse_if,
    "else": _reject_else,
    INDENT: _reject_indent,
    **dict.fromkeys(DECLARATION_KEYWORDS, _reject_declaration),
}
