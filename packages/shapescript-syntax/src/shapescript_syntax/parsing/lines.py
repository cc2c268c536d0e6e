"""The ends of lines, and what is said of lines that end otherwise."""

from __future__ import annotations

from shapescript_syntax.parsing.cursor import Cursor, span_of
from shapescript_syntax.parsing.expressions import parse_whole_expression
from shapescript_syntax.parsing.mistakes import explain_line_end
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import NEWLINE
from shapescript_syntax.tree import ErrorExpr, ErrorStmt, Expr


def parse_line_end(c: Cursor, start: int, value: Expr | None) -> bool:
    """The end of a line, or a report of what stands there instead, which is skipped.

    `start` and `value` are the line's last expression. Whether the line ended as it should.
    """
    if c.kind is NEWLINE:
        c.advance()
        c.panicking = False
        return True
    if not c.panicking:
        explain_line_end(c, start, value)
    c.skip_line()
    return False


def parse_line_value(c: Cursor) -> Expr:
    """An expression and the end of its line; an ErrorExpr if the line goes on."""
    start = c.start()
    value = parse_whole_expression(c)
    end = c.end()
    if parse_line_end(c, start, value):
        return value
    return ErrorExpr(span_of((start, max(start, end))))


def skipped_line(c: Cursor) -> ErrorStmt:
    """What is left of a line that has been reported."""
    span = c.rest_of_line()
    c.skip_line()
    return ErrorStmt(span)


def reject_indentation(c: Cursor) -> Span:
    """Reports lines that are indented where no block starts (E0202), and skips them."""
    following = c.kinds[c.i + 1]
    c.advance()
    span = c.rest_of_line()
    if following in ("+", "-", "*", "/", "@", "and", "or", ".", "==", "<", ">", "as", "to"):
        help = "to go on with the expression of the line before, put it in brackets"
    else:
        help = "only a line that ends in `:` starts a block; indent this line like the one before"
    c.report(
        "E0202", "this line is indented, but no block starts here", span, "unexpected indentation", help=help
    )
    c.go_to(c.i - 1)
    c.skip_block()
    c.panicking = False
    return span
