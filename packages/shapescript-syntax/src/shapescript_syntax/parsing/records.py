"""Declarations whose block is a list of lines: `model`, `data`, `logs` and `devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import Cursor, span_of
from shapescript_syntax.parsing.docs import take_doc
from shapescript_syntax.parsing.lines import parse_line_end, parse_line_value, reject_indentation
from shapescript_syntax.parsing.numbers import parse_int
from shapescript_syntax.parsing.types import parse_type
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest
from shapescript_syntax.tokens import DECLARATION_KEYWORDS, DEDENT, EOF, IDENT, INDENT, INT, LAYOUT, NEWLINE
from shapescript_syntax.tree import (
    Data,
    DataField,
    DeviceOption,
    Devices,
    ErrorExpr,
    ErrorItem,
    Expr,
    Field,
    Int,
    Item,
    Logs,
    Metric,
    Model,
    Name,
    TypeExpr,
)

_Line = TypeVar("_Line")
_FIELD_WORDS: Final = ("param", "buffer")


# --- blocks ------------------------------------------------------------------------------------------------


def _parse_name_and_block(
    c: Cursor, start: int, what: str, parse_line: Callable[[Cursor, str | None], _Line | None]
) -> tuple[Name, tuple[_Line, ...], Span]:
    """`word Name:` and the lines under it."""
    c.advance()
    name = c.parse_name(f"the name of the {what}")
    lines: list[_Line] = []
    if _expect_block(c, what):
        c.advance()
        while c.kind is not DEDENT and c.kind is not EOF:
            before = c.i
            if c.kind is INDENT:
                reject_indentation(c)
            else:
                doc = take_doc(c, c.start())
                line = parse_line(c, doc[0] if doc else None)
                if line is not None:
                    lines.append(line)
            c.check_progress(before)
        c.maybe(DEDENT)
    return name, tuple(lines), span_of((start, max(name.span.end, c.end())))


def _failed(name: Name, span: Span) -> ErrorItem:
    """A declaration without a name or without lines, which is reported: nothing is said of uses of its name."""
    return ErrorItem(span, name if name.text else None)


def _expect_block(c: Cursor, what: str) -> bool:
    """The colon and the line break before an indented block. Whether the block is there."""
    if c.kind != ":" and not c.panicking:
        at = c.empty_span()
        if c.kind == "(":
            c.unexpected(
                f"`:` after the {what}'s name", help="nothing is inherited, and nothing has parameters"
            )
        elif c.kind is NEWLINE and c.kinds[c.i + 1] is INDENT:
            c.report(
                "E0201",
                f"expected `:` after the {what}'s name, found the end of the line",
                at,
                "expected `:`",
                help="end the line with `:`",
                fixes=(Fix("add `:`", ((at, ":"),)),),
            )
        else:
            c.unexpected(f"`:` after the {what}'s name")
    if c.panicking:
        while c.kind not in LAYOUT:
            c.advance()
        c.panicking = False
    else:
        c.maybe(":")
        if c.kind is not NEWLINE:
            c.unexpected(f"the end of the line, with the {what}'s fields indented under it")
            c.skip_line()
            return False
        if c.kinds[c.i + 1] is not INDENT:
            c.fail(f"expected fields indented under this {what}", c.empty_span(), "nothing is under this")
            c.panicking = False
    c.maybe(NEWLINE)
    return c.kind is INDENT


def _reject_line(c: Cursor, what: str, holds: str, help: str) -> None:
    """Fails because a line of a block isn't one of those it holds."""
    if c.kind == "fn" or c.is_word("def"):
        help = f"declare functions outside, with the {what} as a parameter"
    elif c.kind in DECLARATION_KEYWORDS:
        help = "declarations start at the left edge of the file"
    c.fail(f"expected {holds}, found {c.found()}", label=f"expected {holds}", help=help)
    c.skip_line()


# --- models ------------------------------------------------------------------------------------------------


def parse_model(c: Cursor, start: int, doc: str | None) -> Item:
    """`model Name:` and its fields."""
    name, fields, span = _parse_name_and_block(c, start, "model", _parse_field)
    return Model(span, name, fields, doc) if name.text and fields else _failed(name, span)


def _parse_field(c: Cursor, doc: str | None) -> Field | None:
    start = c.start()
    kind = c.token_text()
    if c.kind is not IDENT:
        return _reject_field(c)
    if c.kinds[c.i + 1] is IDENT and c.kinds[c.i + 2] in (":", "=") and kind in _FIELD_WORDS:
        c.advance()
    elif c.kinds[c.i + 1] == ":":
        return _parse_bare_field(c, doc)
    elif kind not in _FIELD_WORDS and c.kinds[c.i + 1] is IDENT and c.kinds[c.i + 2] == ":":
        kind = _report_field_word(c)
        c.advance()
    elif kind not in _FIELD_WORDS:
        return _reject_field(c)
    else:
        c.advance()
    name = c.parse_name("the field's name")
    type_ = _parse_field_type(c)
    initializer: Expr | None = None
    end = c.end()
    if c.kind == "=" and not c.panicking:
        c.advance()
        initializer = parse_line_value(c)
        end = max(end, initializer.span.end)
    else:
        failed = c.panicking or not parse_line_end(c, start, None)
        if failed:
            initializer = ErrorExpr(span_of((end, end)))
            if c.panicking:
                c.skip_line()
    if not name.text:
        return None
    return Field(span_of((start, max(start, end))), kind, name, type_, initializer, doc)


def _parse_field_type(c: Cursor) -> TypeExpr:
    if not c.panicking and c.expect(":", "`:` and the field's type", help="as in `param w: [D C] = zeros`"):
        return parse_type(c)
    return TypeExpr(c.empty_span(), None, ())


def _parse_bare_field(c: Cursor, doc: str | None) -> Field:
    """A field without `param` or `buffer`, which is taken for a param so that it exists."""
    start = c.start()
    line = c.text_of(c.rest_of_line())
    at = span_of((start, start))
    # Where it isn't a tensor, neither word would do, and what the checker says of its type is the mistake.
    if c.kinds[c.i + 2] == "[":
        c.report(
            "E0201",
            f"expected `param` or `buffer`, found `{c.token_text()}`",
            c.span(),
            "expected `param` or `buffer` before this",
            help=f"write `param {line}` if it is trained, `buffer {line}` if it isn't",
            fixes=(Fix("make it a param", ((at, "param "),)),),
        )
    name = c.parse_name("the field's name")
    type_ = _parse_field_type(c)
    end = max(start, c.end())
    c.skip_line()
    return Field(span_of((start, end)), "param", name, type_, ErrorExpr(span_of((end, end))), doc)


def _report_field_word(c: Cursor) -> str:
    """Reports what stands where a field has `param` or `buffer`, and gives the word that is meant."""
    word = closest(c.token_text(), _FIELD_WORDS)
    c.report(
        "E0201",
        f"expected `param` or `buffer`, found `{c.token_text()}`",
        c.span(),
        f"did you mean `{word}`?" if word else "expected `param` or `buffer`",
        help=f"write `{word}`" if word else "what is trained is a `param`, and what isn't a `buffer`",
        fixes=(Fix(f"write `{word}`", ((c.span(), word),)),) if word else (),
    )
    return word or "param"


def _reject_field(c: Cursor) -> Field | None:
    _reject_line(
        c, "model", "a field", "as in `param w: [D C] = normal(std=0.02)` or `buffer mean: [D] = zeros`"
    )
    return None


# --- data and logs -----------------------------------------------------------------------------------------


def parse_data(c: Cursor, start: int, doc: str | None) -> Item:
    """`data Name:` and its fields."""
    name, fields, span = _parse_name_and_block(c, start, "data record", _parse_data_field)
    return Data(span, name, fields, doc) if name.text and fields else _failed(name, span)


def parse_logs(c: Cursor, start: int, doc: str | None) -> Item:
    """`logs Name:` and its metrics."""
    name, metrics, span = _parse_name_and_block(c, start, "logs record", _parse_metric)
    return Logs(span, name, metrics, doc) if name.text and metrics else _failed(name, span)


def _parse_data_field(c: Cursor, doc: str | None) -> DataField | None:
    parts = _parse_typed_line(
        c, "data record", "a field", "a field is a name and a type, as in `label: [] Index[C]`"
    )
    return DataField(*parts, doc) if parts else None


def _parse_metric(c: Cursor, doc: str | None) -> Metric | None:
    help = "a metric is a name, a type and how it combines, as in `loss: [] mean`"
    parts = _parse_typed_line(c, "logs record", "a metric", help)
    return Metric(*parts, doc) if parts else None


def _parse_typed_line(c: Cursor, what: str, holds: str, help: str) -> tuple[Span, Name, TypeExpr] | None:
    start = c.start()
    if c.kind is not IDENT or c.kinds[c.i + 1] != ":":
        _reject_line(c, what, holds, help)
        return None
    name = c.parse_name("a name")
    c.advance()
    type_ = parse_type(c)
    span = c.span_from(start)
    if c.kind == "=" and not c.panicking:
        c.unexpected("the end of the line", help=f"{holds} of a {what} has no value of its own")
    parse_line_end(c, start, None)
    return span, name, type_


# --- devices -----------------------------------------------------------------------------------------------


def parse_devices(c: Cursor, start: int, _doc: str | None) -> Item:
    """`devices cuda[0 1]` and the options under it."""
    c.advance()
    device = c.parse_name("a device, such as `cpu` or `cuda[0]`")
    numbers = None
    if c.kind == "[" and not c.panicking:
        numbers = _parse_numbers(c)
    elif c.kind == ":" and c.kinds[c.i + 1] is INT:
        number = c.text[c.starts[c.i + 1] : c.ends[c.i + 1]]
        c.fail(
            "device numbers are written in brackets",
            Span(c.start(), c.ends[c.i + 1]),
            "expected `[`",
            help=f"write `{device.text}[{number}]`",
        )
    end = c.end()
    if c.panicking:
        c.skip_line()
        return ErrorItem(span_of((start, max(start, end))), None)
    if c.kind is not NEWLINE:
        parse_line_end(c, start, None)
        return Devices(span_of((start, end)), device, numbers, ())
    c.advance()
    options = _parse_options(c) if c.kind is INDENT else ()
    return Devices(
        span_of((start, max(end, options[-1].span.end if options else end))), device, numbers, options
    )


def _parse_numbers(c: Cursor) -> tuple[Int, ...]:
    close = c.closers[c.i]
    c.advance()
    numbers: list[Int] = []
    while c.i < close:
        if c.kind is INT:
            number = parse_int(c)
            if isinstance(number, Int):
                numbers.append(number)
            continue
        separated = c.kind == ","
        c.unexpected(
            "a device number",
            help="device numbers are separated by spaces, as in `cuda[0 1]`" if separated else None,
        )
        break
    if not c.panicking:
        c.go_to(close + 1)
    return tuple(numbers)


def _parse_options(c: Cursor) -> tuple[DeviceOption, ...]:
    c.advance()
    options: list[DeviceOption] = []
    while c.kind is not DEDENT and c.kind is not EOF:
        before = c.i
        if c.kind is INDENT:
            reject_indentation(c)
        elif c.kind is not IDENT:
            c.unexpected(
                "an option of the devices", help="the options are `shard params` and `split` with a dim"
            )
            c.skip_line()
        else:
            options.append(_parse_option(c))
        c.check_progress(before)
    c.maybe(DEDENT)
    return tuple(options)


def _parse_option(c: Cursor) -> DeviceOption:
    start = c.start()
    words = []
    while c.kind not in LAYOUT:
        words.append(c.token_text())
        c.advance()
    span = c.span_from(start)
    c.maybe(NEWLINE)
    return DeviceOption(span, tuple(words))
