"""`fn` and `extern fn`."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import Cursor, span_of
from shapescript_syntax.parsing.expressions import parse_whole_expression
from shapescript_syntax.parsing.lines import parse_line_end, parse_line_value
from shapescript_syntax.parsing.mistakes import short_text
from shapescript_syntax.parsing.numbers import parse_string
from shapescript_syntax.parsing.statements import parse_block
from shapescript_syntax.parsing.types import parse_type
from shapescript_syntax.records import replaced
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest
from shapescript_syntax.tokens import IDENT, INDENT, NEWLINE, STRING
from shapescript_syntax.tree import (
    ErrorExpr,
    ErrorItem,
    ErrorStmt,
    Expr,
    ExternFn,
    Fn,
    Item,
    Name,
    Parameter,
    Stmt,
    String,
    TypeExpr,
)


class _Header:
    """A function's name, parameters and return type. `sound` says whether every parameter has a name."""

    __slots__ = ("name", "parameters", "returns", "sound", "span")

    def __init__(
        self, span: Span, name: Name, parameters: tuple[Parameter, ...], returns: TypeExpr | None, sound: bool
    ) -> None:
        self.span = span
        self.name = name
        self.parameters = parameters
        self.returns = returns
        self.sound = sound


def parse_export(c: Cursor, start: int, doc: str | None) -> Item:
    """`export fn`."""
    keyword = c.span()
    c.advance()
    if c.kind == "extern":
        c.report(
            "E0201",
            "an `extern fn` can't be exported",
            keyword,
            "expected `fn` after this",
            help="export a `fn` that calls it",
            fixes=(Fix("leave out `export`", ((Span(keyword.start, c.start()), ""),)),),
        )
        return parse_extern(c, start, doc)
    return _parse_function(c, start, doc, exported=True)


def parse_fn(c: Cursor, start: int, doc: str | None) -> Item:
    """`fn`, or a word in its place that has been reported."""
    return _parse_function(c, start, doc, exported=False)


def _parse_function(c: Cursor, start: int, doc: str | None, *, exported: bool) -> Item:
    header = _parse_header(c)
    c.in_function = True
    body = _parse_body(c)
    c.in_function = False
    end = body.span.end if not isinstance(body, tuple) else body[-1].span.end
    span = span_of((start, max(header.span.end, end)))
    if not header.sound:
        return ErrorItem(span, header.name if header.name.text else None)
    return Fn(
        span, header.span, header.name, header.parameters, header.returns, body, exported=exported, doc=doc
    )


def _parse_body(c: Cursor) -> tuple[Stmt, ...] | Expr:
    if c.panicking:
        return _recover_body(c)
    if c.kind == "=":
        c.advance()
        return parse_line_value(c)
    if c.kind == ":" or (c.kind is NEWLINE and c.kinds[c.i + 1] is INDENT):
        return parse_block(c, "the function's signature")
    c.unexpected("`:` or `=` after the function's signature", help=_body_help(c))
    return _recover_body(c)


def _body_help(c: Cursor) -> str | None:
    if c.kind == "[":
        return "the return type comes after `->`"
    if c.kind == "=>":
        return "the body comes after `=`, or in an indented block after `:`"
    return "a body is an expression after `=`, or an indented block after `:`"


def _recover_body(c: Cursor) -> tuple[Stmt, ...] | Expr:
    """After a mistake in the signature: the block under it is parsed all the same."""
    at = c.empty_span()
    while c.kind not in (NEWLINE, INDENT, "EOF", "DEDENT"):
        c.advance()
    c.panicking = False
    if c.kind is NEWLINE and c.kinds[c.i + 1] is INDENT:
        return parse_block(c, "the function's signature", colon=False)
    c.maybe(NEWLINE)
    return (ErrorStmt(at),)


# --- signatures --------------------------------------------------------------------------------------------


def _parse_header(c: Cursor) -> _Header:
    """From `fn` to the return type."""
    start = c.start()
    c.advance()
    name = c.parse_name("the function's name")
    parameters: tuple[Parameter, ...] = ()
    sound = bool(name.text)
    returns = None
    if not c.panicking:
        if c.kind == "(":
            parameters, sound = _parse_parameters(c)
        else:
            c.unexpected("`(` and the function's parameters", help=f"as in `fn {name.text}(x: [n]) -> [n]`")
            sound = False
    if not c.panicking and c.maybe("->"):
        returns = parse_type(c)
        if c.kind == "," and not c.panicking:
            c.fail("a function has one return type", label="expected `:` or `=`")
        elif c.kind not in (":", "=", NEWLINE):
            # What was read of the type may belong to the body.
            returns = TypeExpr(returns.span, None, ())
    return _Header(span_of((start, max(start, c.end()))), name, parameters, returns, sound)


def _parse_parameters(c: Cursor) -> tuple[tuple[Parameter, ...], bool]:
    """The parameters in brackets, and whether all of them have names."""
    close = c.closers[c.i]
    c.advance()
    parameters: list[Parameter] = []
    sound = True
    while c.i < close:
        before = c.i
        parameter = _parse_parameter(c)
        if parameter is None:
            sound = False
        else:
            parameters.append(parameter)
        if (
            parameter is not None
            and c.i < close
            and c.kind is IDENT
            and c.kinds[c.i + 1] == ":"
            and not c.panicking
        ):
            at = c.empty_span()
            c.report(
                "E0201",
                f"expected `,` before the parameter `{c.token_text()}`",
                c.span(),
                "the next parameter",
                help="parameters are separated by commas, as in `x: [n], y: [n]`",
                fixes=(Fix("add `,`", ((at, ","),)),),
            )
            c.check_progress(before)
            continue
        if c.i < close and c.kind != ",":
            c.unexpected("`,` or `)`", help=_parameter_help(c))
            if parameter is not None and parameter.type is None and parameter.default is None:
                # Its type may be what can't be read here.
                parameters[-1] = replaced(parameter, type=TypeExpr(c.empty_span(), None, ()))
        if c.panicking:
            c.skip_to_comma(close)
        if c.i < close:
            c.advance()
        c.check_progress(before)
    c.panicking = False
    c.go_to(close + 1)
    return tuple(parameters), sound


def _parameter_help(c: Cursor) -> str | None:
    if c.kind == "[" and c.kinds[c.i - 1] is IDENT:
        return "a type's shape comes first, as in `x: [n] Unit`"
    if c.kind == ":":
        return "parameters are separated by commas, as in `x: [n], y: [n]`"
    return None


def _parse_parameter(c: Cursor) -> Parameter | None:
    start = c.start()
    mut = None
    if c.is_word("mut") and c.kinds[c.i + 1] is IDENT:
        mut = c.span()
        c.advance()
    if c.kind is not IDENT:
        if c.kind == "*":
            c.unexpected("a parameter's name", help="a function takes a fixed number of arguments")
        else:
            c.parse_name("a parameter's name")
        return None
    name = c.parse_name("a parameter's name")
    if c.kind is IDENT and c.kinds[c.i + 1] == ":":
        meant = closest(name.text, ("mut",)) if mut is None else None
        c.report(
            "E0201",
            f"expected `:` after the parameter's name, found `{c.token_text()}`",
            c.span(),
            "a second name",
            help=f"did you mean `mut {c.token_text()}`?" if meant else "a parameter has one name",
        )
        mut = name.span if meant else mut
        name = c.parse_name("a parameter's name")
    type_ = None
    default = None
    if c.kind == "[":
        c.report(
            "E0201",
            "expected `:` before the parameter's type, found `[`",
            c.span(),
            "expected `:`",
            help=f"write `{name.text}: {short_text(c, c.start(), c.ends[c.closers[c.i]], '[n]')}`",
            fixes=(Fix("add `:`", ((c.empty_span(), ":"),)),),
        )
        type_ = parse_type(c, of_parameter=True)
    elif c.maybe(":"):
        type_ = parse_type(c, of_parameter=True)
    if c.kind == "=" and not c.panicking:
        c.advance()
        default = parse_whole_expression(c)
    return Parameter(c.span_from(start), name, type_, default, mut)


# --- extern fn ---------------------------------------------------------------------------------------------


def parse_extern(c: Cursor, start: int, doc: str | None) -> Item:
    """`extern fn`, from `extern` on."""
    c.advance()
    if c.kind != "fn":
        c.unexpected("`fn`", help='as in `extern fn cosh(x: Real) -> Pos = "torch.cosh"`')
        if c.kind is IDENT and c.next_kind() is IDENT:
            c.advance()
        name = Name(c.span(), c.identifier()) if c.kind is IDENT else None
        span = span_of((start, max(start, c.rest_of_line().end)))
        c.skip_line()
        return ErrorItem(span, name)
    header = _parse_header(c)
    path = String(c.empty_span(), "")
    failed = c.panicking or not header.sound
    if not failed:
        failed = not _expect_path(c)
    if not failed:
        path = parse_string(c)
    span = span_of((start, max(header.span.end, path.span.end, c.end())))
    if failed or c.panicking:
        c.skip_line()
    else:
        parse_line_end(c, path.span.start, ErrorExpr(path.span))
    if failed:
        return ErrorItem(span, header.name if header.name.text else None)
    return ExternFn(span, header.span, header.name, header.parameters, header.returns, path, doc)


def _expect_path(c: Cursor) -> bool:
    help = 'an `extern fn` has no body but the Python function that it stands for, as in `= "torch.cosh"`'
    if not c.expect("=", "`=` and the name of a Python function", help=help):
        return False
    if c.kind is not STRING:
        c.unexpected("the name of a Python function, in quotes", help=help)
        return False
    return True
