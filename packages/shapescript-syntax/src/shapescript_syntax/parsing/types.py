"""Types, shapes, axes and sizes."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import MAX_NESTING, Cursor, normalized, span_of
from shapescript_syntax.parsing.heights import too_high
from shapescript_syntax.parsing.numbers import parse_grouped_size, parse_int, reject_grouped_size
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import FOREIGN, GROUPED, IDENT, INT, KEYWORDS, UNKNOWN
from shapescript_syntax.tree import (
    Attribute,
    AxisExpr,
    Binary,
    ErrorExpr,
    Group,
    Ident,
    Int,
    Name,
    Rest,
    ShapeExpr,
    SizeExpr,
    TypeExpr,
    TypeWord,
    UnknownSize,
)

_MAX_WORDS: Final = 3
_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2}
_SIZES: Final = (Int, Ident, Attribute, Binary, ErrorExpr)
_IN_ARITHMETIC: Final = "it can't be part of arithmetic"


# --- types -------------------------------------------------------------------------------------------------


def parse_type(c: Cursor, *, of_parameter: bool = False) -> TypeExpr:
    """A type. One that can't be read has neither a shape nor words.

    In a parameter's type, a name before a `:` is the next parameter's, whose comma is missing.
    """
    start = c.start()
    shape = parse_shape(c) if c.kind == "[" else None
    words: list[TypeWord] = []
    first = c.i
    while c.kind is IDENT and len(words) < _MAX_WORDS:
        if of_parameter and c.kinds[c.i + 1] == ":" and (shape is not None or words):
            break
        word = _parse_word(c)
        if word is not None:
            words.append(word)
    if shape is None and not words:
        if c.i == first:
            c.unexpected("a type", help=_type_help(c))
        return TypeExpr(c.empty_span(), None, ())
    return TypeExpr(c.span_from(start), shape, tuple(words))


def _type_help(c: Cursor) -> str | None:
    if c.kind is FOREIGN and c.token_text() == "None":
        return "a function that gives nothing has no return type"
    if c.kind == "(":
        return "a shape is written in square brackets, as in `[b n]`, and a function has one return type"
    return "a type is a shape, a domain or a dtype, as in `[b n]`, `Unit`, `f32` or `[b n] Unit f32`"


def _parse_word(c: Cursor) -> TypeWord | None:
    start = c.starts[c.i]
    name: Name | None = Name(span_of((start, c.ends[c.i])), c.identifier())
    c.advance()
    qualifier = None
    if at_dot(c):
        qualifier, name = name, after_dot(c)
    argument = _parse_word_argument(c) if c.kind == "[" else None
    over = None
    if c.kind is IDENT and c.token_text() == "over":
        if c.kinds[c.i + 1] is IDENT:
            c.advance()
            over = _parse_over(c)
            name = name if over is not None else None
        elif not c.panicking:
            c.advance()
            over = Name(c.empty_span(), "")
            c.unexpected("an axis's name after `over`", help="an axis without a name can't be named here")
            if c.kind is INT:
                c.advance()
                c.panicking = False
    return TypeWord(c.span_from(start), qualifier, name, argument, over) if name is not None else None


def at_dot(c: Cursor) -> bool:
    """Whether a file's name ends here, and the name of what it declares comes next."""
    return c.kind == "." and c.next_kind() is IDENT


def after_dot(c: Cursor) -> Name | None:
    """The name after a file's, from the dot on; None, with what is wrong, if there are more of them."""
    c.advance()
    name = Name(c.span(), c.identifier())
    c.advance()
    if not at_dot(c):
        return name
    start = c.start()
    while at_dot(c):
        c.advance()
        last = c.identifier()
        c.advance()
    c.report(
        "E0201",
        "a name here has one dot at most",
        c.span_from(start),
        "one too many",
        help=f"what another file declares is written as `file.{last}`, after an `import` of that very file",
    )
    return None


def _parse_over(c: Cursor) -> Name | None:
    """The axis after `over`, which may be another file's dim: `over text.V`."""
    start = c.starts[c.i]
    text = c.identifier()
    c.advance()
    if not at_dot(c):
        return Name(c.span_from(start), text)
    name = after_dot(c)
    return Name(c.span_from(start), f"{text}.{name.text}") if name is not None else None


def _parse_word_argument(c: Cursor) -> SizeExpr:
    close = c.closers[c.i]
    c.advance()
    size = parse_size(c)
    if c.i != close:
        c.unexpected("`]`", help="a type's shape comes first, as in `[b n] Unit`")
        c.skip_to_comma(close)
        c.go_to(close)
    c.advance()
    return size


# --- shapes ------------------------------------------------------------------------------------------------


def parse_shape(c: Cursor) -> ShapeExpr:
    """`[axes]`, whose opening bracket is the current token."""
    first = c.i
    start = c.start()
    close = c.closers[c.i]
    c.advance()
    axes = _parse_axes(c, close)
    c.advance()
    span = c.span_from(start)
    if too_high(c, axes, first):
        return ShapeExpr(span, (ErrorExpr(span),))
    return ShapeExpr(span, axes)


def _parse_axes(c: Cursor, close: int) -> tuple[AxisExpr, ...]:
    """Axes up to the token at `close`."""
    axes: list[AxisExpr] = []
    commas = 0
    while c.i < close:
        if c.kind == ",":
            commas += 1
            if commas == 1:
                _report_commas(c, close)
            c.advance()
            continue
        before = c.i
        axes.append(_parse_axis(c))
        if c.i == before:
            c.skip_to_comma(close)
        c.panicking = False
    return tuple(axes)


def _report_commas(c: Cursor, close: int) -> None:
    edits = []
    i = c.i
    while i < close:
        if c.kinds[i] == ",":
            spaced = c.ends[i] < c.starts[i + 1]
            edits.append((Span(c.starts[i], c.ends[i]), "" if spaced else " "))
        i = c.closers.get(i, i) + 1
    c.report(
        "E0201",
        "axes are separated by spaces, not commas",
        c.span(),
        "unexpected `,`",
        help="leave out the commas, as in `[b n D]`",
        fixes=(Fix("leave out the commas", tuple(edits)),),
    )


def _parse_axis(c: Cursor) -> AxisExpr:
    kind = c.kind
    start = c.starts[c.i]
    if kind is GROUPED:
        if c.kinds[c.i + 1] in _PRECEDENCE:
            return _parse_arithmetic(c, reject_grouped_size(c, _IN_ARITHMETIC), start)
        return parse_grouped_size(c)
    if kind is UNKNOWN:
        return _parse_unknown(c)
    if kind == "...":
        span = c.span()
        c.advance()
        return Rest(span)
    if kind == "(":
        return _parse_group(c)
    size = _parse_size_atom(c, "an axis")
    start = min(start, size.span.start)
    return _parse_arithmetic(c, size, start) if c.kind in _PRECEDENCE else size


def _parse_unknown(c: Cursor) -> UnknownSize:
    span = c.span()
    text = c.token_text()[1:]
    c.advance()
    return UnknownSize(span, text if text.isascii() else normalized(text))


def _parse_group(c: Cursor) -> AxisExpr:
    """`(gh gw)`, or `(n+1)` where arithmetic follows, which is then no group."""
    start = c.start()
    close = c.closers[c.i]
    if c.nesting >= MAX_NESTING:
        return too_deep(c)
    c.nesting += 1
    c.advance()
    axes = _parse_axes(c, close)
    c.nesting -= 1
    c.advance()
    span = c.span_from(start)
    if c.kind not in _PRECEDENCE:
        return Group(span, axes)
    if len(axes) == 1 and isinstance(axes[0], _SIZES):
        return _parse_arithmetic(c, axes[0], start)
    c.report(
        "E0201",
        f"`{c.text_of(span)}` is a group of axes, which can't be part of arithmetic",
        span,
        "a group is a whole axis",
        help="write the product of its sizes, as in `gh*gw*2`",
    )
    return _parse_arithmetic(c, ErrorExpr(span), start)


# --- sizes -------------------------------------------------------------------------------------------------


def parse_size(c: Cursor, what: str = "a size") -> SizeExpr:
    """A size expression."""
    first = c.i
    start = c.start()
    size = _parse_size_atom(c, what)
    if c.kind in _PRECEDENCE:
        size = _parse_arithmetic(c, size, min(start, size.span.start))
    return ErrorExpr(c.span_from(start)) if too_high(c, size, first) else size


def _parse_arithmetic(c: Cursor, first: SizeExpr, start: int) -> SizeExpr:
    """The operators after a size that starts at `start`."""
    total: SizeExpr | None = None
    total_start = start
    pending: tuple[str, Span] = ("", c.empty_span())
    term = first
    term_start = start
    precedence = _PRECEDENCE.get(c.kind)
    while precedence is not None:
        op, op_span = c.kind, c.span()
        c.advance()
        if precedence == 2:
            right = _parse_size_atom(c, "a size")
            term = Binary(c.span_from(term_start), op, op_span, term, right)
        else:
            total = _joined(total, total_start, pending, term, c.ends[c.i - 2])
            pending = (op, op_span)
            term_start = c.start()
            term = _parse_size_atom(c, "a size")
            term_start = min(term_start, term.span.start)
        precedence = _PRECEDENCE.get(c.kind)
    return _joined(total, total_start, pending, term, c.ends[c.i - 1])


def _joined(
    total: SizeExpr | None, start: int, pending: tuple[str, Span], term: SizeExpr, end: int
) -> SizeExpr:
    if total is None:
        return term
    return Binary(span_of((start, end)), pending[0], pending[1], total, term)


def _parse_size_atom(c: Cursor, what: str) -> SizeExpr:
    kind = c.kind
    if kind is IDENT:
        i = c.i
        span = span_of((c.starts[i], c.ends[i]))
        ident = Ident(span, c.identifier())
        c.advance()
        if at_dot(c):
            name = after_dot(c)
            whole = c.span_from(span[0])
            return Attribute(whole, ident, name) if name is not None else ErrorExpr(whole)
        return ident
    if kind is INT:
        return parse_int(c)
    if kind == "(":
        return _parse_size_in_brackets(c)
    if kind is GROUPED:
        return reject_grouped_size(c, _IN_ARITHMETIC if what == "a size" else f"{what} is a plain size")
    if kind is UNKNOWN:
        unknown = c.token_text()
        span = c.span()
        c.fail(
            f"the unknown size `{unknown}` can only be a whole axis",
            label=f"expected {what}",
            help=f"write `{unknown}` alone; to calculate with a size, name it in a pattern, as in "
            "`rearrange(x, n d -> n d)`",
        )
        c.advance()
        return ErrorExpr(span)
    else:
        c.unexpected(what, help=_size_help(c))
    return ErrorExpr(c.empty_span())


def _size_help(c: Cursor) -> str | None:
    if c.kind == "-":
        return "sizes are positive; one axis can be a difference, as in `n - 1`"
    if c.kind == "*" and c.kinds[c.i - 1] == "*":
        return "write a power as a product, as in `n*n`"
    if c.kind == "[":
        return "an axis is a size; several axes that are one are a group in ( )"
    if c.kind == "float":
        return "sizes are whole numbers"
    if c.kind in KEYWORDS:
        return f"`{c.kind}` is a keyword: choose another name"
    return None


def _parse_size_in_brackets(c: Cursor) -> SizeExpr:
    close = c.closers[c.i]
    if c.nesting >= MAX_NESTING:
        return too_deep(c)
    c.nesting += 1
    c.advance()
    size = parse_size(c)
    c.nesting -= 1
    if c.i != close:
        c.unexpected("`)`")
        c.skip_to_comma(close)
        c.go_to(close)
    c.advance()
    return size


def too_deep(c: Cursor) -> ErrorExpr:
    """Fails because things nest too deeply, and skips the brackets that start here, if any do."""
    start = c.start()
    span = c.span()
    c.report(
        "E0201",
        f"this is nested too deeply: brackets may be {MAX_NESTING} levels deep",
        span,
        "one level too many",
        help="give a part of it a name of its own",
    )
    if c.i not in c.closers:
        c.panicking = True
        return ErrorExpr(c.empty_span())
    c.go_to(c.closers[c.i] + 1)
    return ErrorExpr(c.span_from(start))
