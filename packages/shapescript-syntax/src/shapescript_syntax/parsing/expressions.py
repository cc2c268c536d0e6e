"""Expressions: pipes, operators, casts, and what binds tighter."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.parsing.calls import parse_call, parse_index
from shapescript_syntax.parsing.cursor import MAX_NESTING, Cursor, span_of
from shapescript_syntax.parsing.heights import too_high
from shapescript_syntax.parsing.mistakes import (
    explain_missing_operand,
    reject_chained_comparison,
    reject_doubled_operator,
    reject_list,
    reject_stage,
    reject_word,
    several_axes,
)
from shapescript_syntax.parsing.numbers import parse_float, parse_int, parse_string, reject_grouped_size
from shapescript_syntax.parsing.strays import allow, report_strays, settle_stage
from shapescript_syntax.parsing.types import parse_type, too_deep
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import FLOAT, FOREIGN, GROUPED, IDENT, INT, NEWLINE, STRING
from shapescript_syntax.tree import (
    Attribute,
    Binary,
    Bool,
    Call,
    Cast,
    ErrorExpr,
    Expr,
    Hole,
    Ident,
    Inf,
    Lambda,
    Name,
    Pipe,
    Range,
    ToStage,
    Unary,
)

_REPORTED_ELSEWHERE: Final = (ErrorExpr, Lambda, Range, Hole)
_COMPARISON: Final = 3
_PRECEDENCE: Final = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARISON),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "@"), 5),
}
# A name before one of these is the whole expression, as most arguments and operands of statements are.
_ENDS: Final = frozenset({",", ")", "]", ":", NEWLINE})


def parse_whole_expression(c: Cursor) -> Expr:
    """An expression that is no part of another: of a statement, a default, an initializer."""
    first = c.i
    start = c.start()
    return _checked(c, parse_expression(c), first, start)


def parse_loop_source(c: Cursor) -> Expr:
    """What a `for` loops over: a range or any expression."""
    first = c.i
    start = c.start()
    source = parse_expression(c)
    if type(source) is Range:
        allow(c, source)
    return _checked(c, source, first, start)


def _checked(c: Cursor, value: Expr, first: int, start: int) -> Expr:
    """A whole expression, or an ErrorExpr if something in it is out of place or it is too deep."""
    if c.strays:
        report_strays(c)
        return ErrorExpr(c.span_from(start))
    if too_high(c, value, first):
        return ErrorExpr(c.span_from(start))
    return value


def parse_expression(c: Cursor) -> Expr:
    """A pipeline, a range or a lambda."""
    i = c.i
    if c.kind is IDENT and c.kinds[i + 1] in _ENDS:
        text = c.text[c.starts[i] : c.ends[i]]
        ident = Ident(span_of((c.starts[i], c.ends[i])), text if text.isascii() else c.identifier())
        c.i = i + 1
        c.kind = c.kinds[i + 1]
        return ident
    if c.nesting >= MAX_NESTING:
        return too_deep(c)
    c.nesting += 1
    start = c.starts[i]
    left = _parse_lambda(c) if _at_lambda(c) else _parse_operators(c)
    if c.kind == "..":
        start = min(start, left.span.start)
        c.advance()
        high = _parse_operators(c)
        left = Range(c.span_from(start), left, high)
        c.strays[id(left)] = left
    while c.kind == "|>":
        start = min(start, left.span.start)
        left = _parse_stage(c, left, start)
    c.nesting -= 1
    return left


# --- lambdas and stages ------------------------------------------------------------------------------------


def _at_lambda(c: Cursor) -> bool:
    kind = c.kind
    if kind == "(":
        return c.kinds[c.closers[c.i] + 1] == "=>"
    return (kind is IDENT or kind == "_") and c.kinds[c.i + 1] == "=>"


def _parse_lambda(c: Cursor) -> Lambda:
    start = c.start()
    parameters: list[Name | Hole] = []
    if c.kind == "(":
        close = c.closers[c.i]
        c.advance()
        while c.i < close:
            parameters.append(_parse_lambda_parameter(c))
            if c.i < close and not c.expect(","):
                c.skip_to_comma(close)
                c.maybe(",")
        c.go_to(close + 1)
        if not parameters:
            c.fail("a lambda needs a parameter", label="expected a parameter before this")
    else:
        parameters.append(_parse_lambda_parameter(c))
    c.advance()
    body = parse_expression(c)
    node = Lambda(c.span_from(start), tuple(parameters), body)
    c.strays[id(node)] = node
    return node


def _parse_lambda_parameter(c: Cursor) -> Name | Hole:
    if c.kind == "_":
        hole = Hole(c.span())
        c.advance()
        return hole
    return c.parse_name("a parameter's name")


def _parse_stage(c: Cursor, source: Expr, start: int) -> Pipe:
    pipe_span = span_of((c.starts[c.i], c.ends[c.i]))
    c.advance()
    stage_start = c.start()
    stage: Expr
    if c.kind == "to":
        c.advance()
        type_ = parse_type(c)
        stage = ToStage(c.span_from(stage_start), type_)
        if c.kind in _PRECEDENCE or c.kind in ("as", "to"):
            first_end = c.end()
            _finish_operators(c, ErrorExpr(stage.span), stage_start)
            stage = reject_stage(c, c.span_from(stage_start), start, first_end)
    elif _at_lambda(c):
        stage = _parse_lambda(c)
    else:
        stage = _parse_operators(c)
        callee = stage.callee if type(stage) is Call else stage
        while type(callee) is Attribute:
            callee = callee.value
        if type(callee) is not Ident:
            if type(stage) not in _REPORTED_ELSEWHERE:
                stage = reject_stage(c, c.span_from(stage_start), start, _first_end(stage))
        elif not settle_stage(c, stage, source):
            stage = ErrorExpr(stage.span)
    return Pipe(c.span_from(start), source, stage, pipe_span)


def _first_end(stage: Expr) -> int:
    """Where the leftmost operand of an expression ends."""
    while isinstance(stage, Binary | Cast):
        stage = stage.left if isinstance(stage, Binary) else stage.value
    return stage.span.end


# --- operators ---------------------------------------------------------------------------------------------


def _parse_operators(c: Cursor) -> Expr:
    i = c.i
    left = _parse_operand(c)
    if c.kind not in _PRECEDENCE:
        return left
    return _finish_operators(c, left, min(c.starts[i], left.span.start))


def _finish_operators(c: Cursor, first: Expr, start: int) -> Expr:
    """Operators and operands after a first operand, by precedence, without recursion.

    Every operand keeps the offset of its first token, so that a node's span has the brackets of its parts.
    """
    operands = [first]
    starts = [start]
    waiting: list[tuple[int, str, Span]] = []
    comparison: Binary | None = None
    chained = False
    while True:
        kind = c.kind
        if (kind == "*" or kind == "/") and c.kinds[c.i + 1] == kind:
            reject_doubled_operator(c, starts[-1], _parse_operand)
            operands[-1] = ErrorExpr(c.span_from(starts[-1]))
            continue
        precedence = _PRECEDENCE.get(kind, 0)
        end = c.ends[c.i - 1]
        while waiting and waiting[-1][0] >= precedence:
            level, op, op_span = waiting.pop()
            right = operands.pop()
            starts.pop()
            left = operands[-1]
            operands[-1] = node = Binary(span_of((starts[-1], end)), op, op_span, left, right)
            if level == _COMPARISON:
                if left is comparison and not chained:
                    chained = True
                    reject_chained_comparison(c, node, left)
                comparison = node
        if not precedence:
            break
        waiting.append((precedence, kind, span_of((c.starts[c.i], c.ends[c.i]))))
        c.advance()
        i = c.i
        operands.append(_parse_operand(c))
        starts.append(min(c.starts[i], operands[-1].span.start))
    return ErrorExpr(c.span_from(start)) if chained else operands[0]


def _parse_operand(c: Cursor) -> Expr:
    """Unary operators, then what `as` and `to` apply to, and them."""
    kind = c.kind
    if kind == "-" or kind == "!":
        return _parse_unary(c)
    i = c.i
    start = c.starts[i]
    value = _parse_postfix(c)
    while c.kind == "as" or c.kind == "to":
        start = min(start, value.span.start)
        op, op_span = c.kind, c.span()
        c.advance()
        type_ = parse_type(c)
        value = Cast(c.span_from(start), op, op_span, value, type_)
    return value


def _parse_unary(c: Cursor) -> Expr:
    ops: list[tuple[str, int]] = []
    first = c.i
    while c.kind == "-" or c.kind == "!":
        ops.append((c.kind, c.start()))
        c.advance()
    if len(ops) > MAX_NESTING:
        end = c.i
        c.go_to(first)
        error = too_deep(c)
        c.go_to(end)
        return error
    value = _parse_operand(c)
    for op, start in reversed(ops):
        value = Unary(c.span_from(start), op, value)
    return value


# --- what binds tightest -----------------------------------------------------------------------------------


def _parse_postfix(c: Cursor) -> Expr:
    i = c.i
    start = c.starts[i]
    kind = c.kind
    value: Expr
    if kind is IDENT:
        text = c.text[start : c.ends[i]]
        value = Ident(span_of((start, c.ends[i])), text if text.isascii() else c.identifier())
        c.i = i = i + 1
        c.kind = c.kinds[i]
    else:
        value = _ATOMS.get(kind, _parse_missing)(c)
        if c.i == i:
            start = value.span.start
    while True:
        kind = c.kind
        if kind == "(":
            value = parse_call(c, value, start, parse_expression)
        elif kind == ".":
            c.advance()
            if c.kind is not IDENT:
                explain_missing_operand(c, "a name after the `.`")
                return ErrorExpr(c.span_from(start))
            name = Name(c.span(), c.identifier())
            c.advance()
            value = Attribute(c.span_from(start), value, name)
        elif kind == "[":
            value = parse_index(c, value, start, parse_expression)
        else:
            return value


def _parse_inf(c: Cursor) -> Inf:
    span = c.span()
    c.advance()
    return Inf(span)


def _parse_bool(c: Cursor) -> Bool:
    node = Bool(c.span(), c.kind == "true")
    c.advance()
    return node


def _parse_hole(c: Cursor) -> Hole:
    node = Hole(c.span())
    c.strays[id(node)] = node
    c.advance()
    return node


def _parse_to(c: Cursor) -> ToStage:
    start = c.start()
    c.advance()
    type_ = parse_type(c)
    node = ToStage(c.span_from(start), type_)
    c.strays[id(node)] = node
    return node


def _parse_in_brackets(c: Cursor) -> Expr:
    start = c.start()
    opening = c.i
    close = c.closers[opening]
    if c.nesting >= MAX_NESTING:
        return too_deep(c)
    c.advance()
    if c.i == close:
        c.fail("expected an expression, found `)`", label="nothing in the brackets")
    value = parse_expression(c)
    if c.i != close:
        if c.kind == ",":
            c.fail(
                "there are no tuples: brackets hold one expression",
                label="expected `)`",
                help=several_axes(c, opening) or "bind each value to a name of its own",
            )
        else:
            explain_missing_operand(c, "`)`")
        c.skip_to_comma(close)
        c.go_to(close + 1)
        return ErrorExpr(c.span_from(start))
    c.advance()
    return value


def _parse_list(c: Cursor) -> ErrorExpr:
    return reject_list(c)


def _parse_foreign(c: Cursor) -> Expr:
    return reject_word(c)


def _parse_grouped(c: Cursor) -> ErrorExpr:
    return reject_grouped_size(c, "only a type or a pattern has axes")


def _parse_missing(c: Cursor) -> ErrorExpr:
    """An expression that isn't there."""
    explain_missing_operand(c, "an expression")
    return ErrorExpr(c.empty_span())


_ATOMS: Final = {
    INT: parse_int,
    FLOAT: parse_float,
    STRING: parse_string,
    "inf": _parse_inf,
    "true": _parse_bool,
    "false": _parse_bool,
    "_": _parse_hole,
    "to": _parse_to,
    "(": _parse_in_brackets,
    "[": _parse_list,
    GROUPED: _parse_grouped,
    FOREIGN: _parse_foreign,
}
