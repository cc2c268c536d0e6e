"""What people write instead of what the grammar has, mostly from Python, and what to tell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shapescript_syntax.diagnostics import Fix
from shapescript_syntax.parsing.cursor import Cursor
from shapescript_syntax.parsing.patterns import reject_pattern
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import DECLARATION_KEYWORDS, IDENT, INT, KEYWORDS, LAYOUT, STRING, UNKNOWN
from shapescript_syntax.tree import Binary, Bool, Cast, ErrorExpr, Expr, Ident, Index

_SHORT: Final = 60
_CONTEXTUAL: Final = frozenset({"model", "data", "logs", "devices", "export"})
"""Words that start declarations, and are names elsewhere."""
_DOUBLED: Final = {"**": "a power is a call", "//": "a quotient rounded down is a call"}


def short_text(c: Cursor, start: int, end: int, otherwise: str) -> str:
    """The source between two offsets if it fits in a message, and `otherwise` if not."""
    text = c.text[start:end].strip()
    return text if text and "\n" not in text and "#" not in text and len(text) <= _SHORT else otherwise


# --- missing operands --------------------------------------------------------------------------------------


def explain_missing_operand(c: Cursor, what: str) -> None:
    """Fails because something is missing here, with what is known about why."""
    kind, previous = c.kind, c.kinds[c.i - 1] if c.i else ""
    if kind == "." and c.next_kind() is INT and c.touches_next():
        number = f"0.{c.text[c.starts[c.i + 1] : c.ends[c.i + 1]]}"
        span = Span(c.start(), c.ends[c.i + 1])
        c.fail(
            "a number needs a digit before its point",
            span,
            "expected a digit",
            help=f"write `{number}`",
            fixes=(Fix(f"write `{number}`", ((span, number),)),),
        )
    elif (previous is INT and kind == ".") or (previous == "." and c.kinds[max(c.i - 2, 0)] is INT):
        at = c.i if kind == "." else c.i - 1
        point = c.starts[at]
        c.fail(
            "a number needs a digit after its point",
            Span(point, point + 1),
            "expected a digit after this",
            help=f"write `{c.text[c.starts[at - 1] : point]}.0`",
            fixes=(Fix("add a zero", ((Span(point + 1, point + 1), "0"),)),),
        )
    else:
        c.unexpected(what, help=_missing_help(c, kind, previous))


def _missing_help(c: Cursor, kind: str, previous: str) -> str | None:
    if kind is UNKNOWN:
        return (
            f"`{c.token_text()}` is a size that only a type can have; a value's size has a name without `?`"
        )
    if kind == "dim" and previous in ("(", ",") and c.next_kind() == "=":
        return "an axis is given by its name, with `over=`, as in `sum(x, over=n)`"
    if kind == "..." and previous in ("[", ","):
        return "write `:` for each axis before the ones that are indexed, as in `x[:, :, 0]`"
    if kind == "=" and previous in KEYWORDS:
        return f"`{previous}` is a keyword: choose another name"
    if kind == "=" and previous in ("+", "-", "*", "/", "@"):
        return f"there is no `{previous}=`: write the sum out, as in `x = x {previous} y`"
    if kind == "*" and previous in ("(", ","):
        return "arguments can't be unpacked: write each one"
    if previous == "." and kind in KEYWORDS:
        conversion = "; to convert, write `x to f32`" if kind == "to" else ""
        return f"`{kind}` is a keyword, so no name can be spelt so{conversion}"
    if kind == "+":
        return "a number needs no `+` before it"
    if kind == "=>":
        return "a lambda's parameters are names, as in `v => v * 2.0` or `(a, b) => a + b`"
    if kind == "->":
        return "a pattern is an argument of `rearrange`, `reduce`, `repeat`, `einsum` or `split`"
    if kind == "if" and previous not in LAYOUT:
        return "to choose between values, write `where(condition, x, y)`, or an `if` statement"
    if kind == "dim" and c.next_kind() == "=":
        return "an axis is given by its name, as in `over=n`"
    if kind in DECLARATION_KEYWORDS and kind not in ("fn", "import"):
        return f"`{kind}` is a keyword: choose another name"
    if kind is STRING and previous is IDENT and c.ends[c.i - 1] == c.starts[c.i]:
        return "strings have no prefixes: `print` takes the values to show one by one"
    if previous is IDENT:
        return word_help(c, c.text[c.starts[c.i - 1] : c.ends[c.i - 1]])
    return None


def word_help(c: Cursor, word: str) -> str | None:
    """For a word of Python's that stands where it means nothing."""
    if word == "not":
        return f"the opposite is `!{short_text(c, c.start(), c.ends[c.i], 'x')}`"
    if word == "lambda":
        return "a lambda is written `v => v * 2.0`, as the function of `map` or `filter`"
    return None


# --- operators ---------------------------------------------------------------------------------------------


def reject_chained_comparison(c: Cursor, outer: Binary, inner: Binary) -> None:
    """Reports `a < b < c` (E0206)."""
    first = short_text(c, inner.span.start, inner.op_span.start, "a")
    middle = short_text(c, inner.op_span.end, inner.span.end, "b")
    last = short_text(c, outer.op_span.end, outer.span.end, "c")
    c.report(
        "E0206",
        "comparisons don't chain",
        outer.op_span,
        "a second comparison",
        help=f"write `{first} {inner.op} {middle} and {middle} {outer.op} {last}`",
    )


def reject_doubled_operator(c: Cursor, start: int, parse_operand: Callable[[Cursor], Expr]) -> None:
    """Reports `x ** y` and `x // y`, whose first operator is the current token, and reads on past `y`."""
    op = c.kind * 2
    known = short_text(c, start, c.start(), "")
    left = known or "x"
    span = Span(c.start(), c.ends[c.i + 1])
    c.advance()
    c.advance()
    right_start = c.start()
    parse_operand(c)
    end = c.ends[c.i - 1]
    right = short_text(c, right_start, end, "y")
    if op == "//":
        meant = f"floor({left} / {right})"
    else:
        meant = f"square({left})" if right == "2" else f"pow({left}, {right})"
    c.report(
        "E0201",
        f"there is no operator `{op}`: {_DOUBLED[op]}",
        span,
        "no such operator",
        help=f"write `{meant}`",
        fixes=(Fix(f"write `{meant}`", ((Span(start, max(end, span.end)), meant),)),) if known else (),
    )


def reject_stage(c: Cursor, span: Span, start: int, first_end: int) -> ErrorExpr:
    """Reports a stage of a pipe that isn't one (E0204).

    `start` is where the pipeline starts, and `first_end` where the first operand of the stage ends.
    """
    rest = c.text[first_end : span.end]
    if rest and not rest.lstrip().startswith(")"):
        pipeline = short_text(c, start, first_end, "x |> f")
        help = f"to use the pipeline's result, write `({pipeline}) {rest.strip()}`"
    else:
        help = "name a function, call one, or write `to` and a type, as in `x |> relu |> to f16`"
    c.report(
        "E0204",
        "a pipe's stage must be a function, a call or `to` a type",
        span,
        "not a stage",
        help=help,
    )
    return ErrorExpr(span)


# --- atoms -------------------------------------------------------------------------------------------------


def reject_word(c: Cursor) -> Expr:
    """Reports Python's True, False and None."""
    span = c.span()
    word = c.token_text()
    c.advance()
    if word == "None":
        in_index = c.kinds[c.i - 2] in ("[", ",") and c.innermost(c.i - 1) == "["
        c.report(
            "E0201",
            "there is no `None`",
            span,
            "no such value",
            help="a new axis of size 1 is written in a pattern, as in `rearrange(x, n d -> n 1 d)`"
            if in_index
            else "an `extern fn`'s tensor that may be left out has the default `none`",
        )
        return ErrorExpr(span)
    meant = word.lower()
    c.report(
        "E0201",
        f"`{word}` is written `{meant}`",
        span,
        f"expected `{meant}`",
        help=f"write `{meant}`",
        fixes=(Fix(f"write `{meant}`", ((span, meant),)),),
    )
    return Bool(span, word == "True")


def reject_list(c: Cursor) -> ErrorExpr:
    """Reports a list literal (E0201) or a comprehension (E3201), and skips it."""
    start, first, close = c.start(), c.i + 1, c.closers[c.i]
    span = Span(start, c.ends[close])
    marks = _comprehension_marks(c, first, close)
    if "for" in marks:
        c.report(
            "E3201",
            "there are no comprehensions: an iterator chain computes something for every element",
            span,
            "a comprehension",
            help=_chain_help(c, span, marks, close),
        )
    else:
        c.report(
            "E0201",
            "there are no lists",
            span,
            "a list",
            help=several_axes(c, c.i) or "join tensors with `stack(x, y, over=k)` or `cat(x, y, over=n)`",
        )
    c.go_to(close + 1)
    return ErrorExpr(span)


def several_axes(c: Cursor, i: int) -> str | None:
    """The help for the list or tuple that starts at a token, if it follows `over=`."""
    if i < 2 or c.kinds[i - 1] != "=" or c.text[c.starts[i - 2] : c.ends[i - 2]] != "over":
        return None
    return "`over=` names one axis; along several at once, write `reduce(x, b h w -> b, sum)`"


def _comprehension_marks(c: Cursor, first: int, close: int) -> dict[str, int]:
    """Where a comprehension's keywords are; `for2` is there when there are several."""
    marks: dict[str, int] = {}
    i = first
    while i < close:
        kind = c.kinds[i]
        if kind in ("for", "in", "if"):
            marks["for2" if kind == "for" and "for" in marks else kind] = i
        i = c.closers.get(i, i) + 1
    return marks


def _chain_help(c: Cursor, span: Span, marks: dict[str, int], close: int) -> str:
    if not marks["for"] < marks.get("in", -1) or "for2" in marks:
        return "write a chain, as in `n |> map(i => x[i])`"
    stop = marks.get("if", close)
    element = short_text(c, span.start + 1, c.starts[marks["for"]], "e")
    variable = short_text(c, c.ends[marks["for"]], c.starts[marks["in"]], "i")
    source = short_text(c, c.ends[marks["in"]], c.starts[stop], "n")
    if source.startswith("range(") and source.endswith(")"):
        ends = source[len("range(") : -1].split(",")
        source = "..".join(end.strip() for end in ends) if len(ends) == 2 else ends[0].strip()
    if "," in variable:
        variable = f"({variable.strip('()')})"
    chain = source
    if "if" in marks:
        chain += f" |> filter({variable} => {short_text(c, c.ends[stop], c.starts[close], 'condition')})"
    if element != variable or "if" not in marks:
        chain += f" |> map({variable} => {element})"
    return f"write `{chain}`"


def explain_line_end(c: Cursor, start: int, value: Expr | None) -> None:
    """Fails because a line goes on after what it should hold. `start` is where its expression starts."""
    kind = c.kind
    if "->" in c.kinds[c.i : _line_end(c)] and value is not None and not c.panicking and _arrow_outside(c):
        reject_pattern(c, Span(start, c.ends[_line_end(c) - 1]), None)
        c.panicking = True
        return
    help = _missing_help(c, kind, c.kinds[c.i - 1])
    if kind == ",":
        help = _one_value(c, start)
    elif kind in ("[", "(", ".") and isinstance(value, Cast) and help is None:
        whole = short_text(c, start, c.ends[c.i - 1], "x as T")
        help = f"the type goes on here; for its value, write `({whole}){c.token_text()}…`"
    elif kind == "=" and isinstance(value, Index):
        help = "tensors aren't changed in place: make a new one, as `where` and `scatter` do"
    elif kind == "=" and help is None:
        help = "only names and fields of models can be bound; to compare, write `==`"
    elif kind in ("..", "...") and help is None:
        help = "a range's ends are numbers or sizes, as in `0..n`"
    elif isinstance(value, Ident) and kind is IDENT and value.name in _CONTEXTUAL:
        help = "declarations belong outside functions, at the left edge of the file"
    elif isinstance(value, Ident) and kind is IDENT and "=" in c.kinds[c.i : _line_end(c)]:
        help = "names are separated by commas, as in `a, b = …`"
    elif isinstance(value, Ident) and kind is IDENT and c.next_kind() == "(":
        help = f"to bind it, write `{value.name} = …`"
    elif isinstance(value, Ident) and (kind is IDENT or kind is INT) and help is None:
        help = f"to call it, write `{value.name}({c.token_text()})`"
    c.unexpected("the end of the line", help=help)


def _one_value(c: Cursor, start: int) -> str:
    """The help for a comma after the value of a declaration or statement."""
    first = c.line_start()
    word = c.text[c.starts[first] : c.ends[first]]
    if word in ("dim", "domain"):
        return f"a `{word}` has one value"
    if word in ("return", "fn", "export"):
        values = short_text(c, start, c.ends[_line_end(c) - 1], "x, y")
        return f"a function gives one value; tensors of one shape go into one: `stack({values}, over=k)`"
    return "a statement has one value: bind several, each on a line of its own"


def _line_end(c: Cursor) -> int:
    i = c.i
    while c.kinds[i] not in LAYOUT:
        i += 1
    return i


def _arrow_outside(c: Cursor) -> bool:
    i = c.i
    while c.kinds[i] not in LAYOUT:
        if c.kinds[i] == "->":
            return True
        i = c.closers.get(i, i) + 1
    return False
