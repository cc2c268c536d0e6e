"""Where the parser is, and what every part of it does: read tokens, report, recover."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Final, cast

from shapescript_syntax.diagnostics import Diagnostic, Fix, Label
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import (
    DEDENT,
    EOF,
    ERROR,
    IDENT,
    INDENT,
    LAYOUT,
    MAX_DIAGNOSTICS,
    NEWLINE,
    STRING,
    Tokens,
)
from shapescript_syntax.tree import Hole, Lambda, Name, Range, ToStage

MAX_NESTING: Final = 64
"""How deep brackets may nest: each level takes several of the parser's stack frames."""
MAX_HEIGHT: Final = 100
"""How high an expression's tree may be. Chains of operators and pipes lean to the left, so a long one is
high, and later passes go down it by recursion."""
MAX_BLOCKS: Final = 40
"""How deep `if` blocks may nest."""
MAX_LOOPS: Final = 16
"""How deep `for` blocks may nest: Python takes 20 nested blocks, some of which generated code may need."""

span_of: Final = cast(Callable[[tuple[int, int]], Span], partial(tuple.__new__, Span))
"""`Span(*pair)`, at a third of the cost."""


class _Damage:
    """The ranges whose brackets had to be guessed, where what the parser finds wrong is no news."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, ranges: list[Span]) -> None:
        ordered = sorted(ranges)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))

    def covers(self, offset: int) -> bool:
        """Whether an offset is in one of them, ends included."""
        i = bisect_right(self._starts, offset) - 1
        return i >= 0 and offset <= self._ends[i]


Stray = Hole | Lambda | Range | ToStage


class Cursor:
    """A place in the tokens of one chunk, with what has been found wrong so far.

    `kind` is the kind of the current token, `i` its index. `strays` are the nodes that are only allowed in
    some places and that haven't met one yet (see `parsing.strays`).
    """

    __slots__ = (
        "blocks",
        "cell",
        "closers",
        "damage",
        "diagnostics",
        "docs",
        "ends",
        "i",
        "in_function",
        "kind",
        "kinds",
        "loops",
        "nesting",
        "panicking",
        "patterns",
        "reported",
        "starts",
        "strays",
        "text",
    )

    def __init__(self, tokens: Tokens, cell: bool) -> None:
        self.text = tokens.text
        self.kinds = tokens.kinds
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.closers = tokens.closers
        self.damage = _Damage(tokens.damaged) if tokens.damaged else None
        self.diagnostics = tokens.diagnostics
        self.docs: dict[int, tuple[str, Span]] = {}
        self.cell = cell
        self.i = 0
        self.kind = tokens.kinds[0]
        self.panicking = False
        self.reported = 0
        self.nesting = 0
        self.blocks = 0
        self.in_function = False
        self.loops = 0
        self.strays: dict[int, Stray] = {}
        self.patterns = tokens.patterns

    # --- reading ---

    def advance(self) -> None:
        """Goes to the next token."""
        self.i += 1
        self.kind = self.kinds[self.i]

    def go_to(self, index: int) -> None:
        """Goes to the token at an index."""
        self.i = index
        self.kind = self.kinds[index]

    def token_text(self) -> str:
        """The current token as written."""
        return self.text[self.starts[self.i] : self.ends[self.i]]

    def text_of(self, span: Span) -> str:
        """What a span covers."""
        return self.text[span[0] : span[1]]

    def is_word(self, word: str) -> bool:
        """Whether the current token is a name spelt so, which a contextual keyword is."""
        return self.kind is IDENT and self.token_text() == word

    def next_kind(self) -> str:
        """The kind of the token after the current one."""
        return self.kinds[self.i + 1] if self.i + 1 < len(self.kinds) else EOF

    def touches_next(self) -> bool:
        """Whether nothing stands between the current token and the next one."""
        return self.i + 1 < len(self.kinds) and self.ends[self.i] == self.starts[self.i + 1]

    def innermost(self, index: int) -> str | None:
        """The kind of the bracket that is open at a token."""
        around = [i for i, close in self.closers.items() if i < index < close]
        return self.kinds[max(around)] if around else None

    def forget_strays(self, start: int) -> None:
        """Says nothing of nodes from an offset on that are out of place."""
        self.strays = {key: node for key, node in self.strays.items() if node.span.start < start}

    def line_start(self) -> int:
        """The index of the first token of the current line."""
        i = self.i
        while i > 0 and self.kinds[i - 1] not in LAYOUT:
            i -= 1
        return i

    # --- spans ---

    def span(self) -> Span:
        """The span of the current token; empty, after the token before it, at the end of a line or block."""
        if self.kind in LAYOUT:
            return self.empty_span()
        return span_of((self.starts[self.i], self.ends[self.i]))

    def empty_span(self) -> Span:
        """An empty span right after the last token that was read."""
        at = self.end()
        return span_of((at, at))

    def start(self) -> int:
        """Where the current token starts."""
        return self.starts[self.i]

    def end(self) -> int:
        """Where the last token that isn't layout ended."""
        i = self.i - 1
        while i >= 0 and self.kinds[i] in LAYOUT:
            i -= 1
        return self.ends[i] if i >= 0 else 0

    def span_from(self, start: int) -> Span:
        """From an offset to the end of the last token that was read, which mustn't be layout."""
        end = self.ends[self.i - 1] if self.i else start
        return span_of((start, max(start, end)))

    def rest_of_line(self) -> Span:
        """The current token and those after it on its line."""
        i = self.i
        while self.kinds[i] not in LAYOUT:
            i += 1
        if i == self.i:
            return self.empty_span()
        end = self.ends[i - 1]
        line_end = self.text.find("\n", self.starts[self.i], end)
        return span_of((self.starts[self.i], end if line_end < 0 else line_end))

    # --- names and tokens ---

    def parse_name(self, what: str) -> Name:
        """An identifier. `what` says what it names, as in "the model's name"."""
        if self.kind is IDENT:
            name = Name(self.span(), self.identifier())
            self.advance()
            return name
        self.unexpected(what, help=_name_help(self))
        return Name(self.empty_span(), "")

    def identifier(self) -> str:
        """The current identifier, normalized as Python normalizes it."""
        text = self.text[self.starts[self.i] : self.ends[self.i]]
        return text if text.isascii() else normalized(text)

    def expect(self, kind: str, what: str | None = None, help: str | None = None) -> bool:
        """Reads a token of a kind, or reports that it is missing. Whether it was there."""
        if self.kind == kind:
            self.advance()
            return True
        self.unexpected(what or f"`{kind}`", help=help)
        return False

    def maybe(self, kind: str) -> bool:
        """Reads a token of a kind if it is the current one."""
        if self.kind == kind:
            self.advance()
            return True
        return False

    # --- reporting ---

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        labels: tuple[Label, ...] = (),
        help: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Reports a mistake that parsing can go on after, unless it follows from another."""
        if self.panicking or (self.damage is not None and self.damage.covers(span.start)):
            return
        if len(self.diagnostics) >= MAX_DIAGNOSTICS:
            return
        self.reported += 1
        self.diagnostics.append(
            Diagnostic(code, message, span, label=label, labels=labels, help=help, fixes=fixes)
        )

    def fail(
        self,
        message: str,
        span: Span | None = None,
        label: str = "",
        *,
        code: str = "E0201",
        labels: tuple[Label, ...] = (),
        help: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Reports that parsing can't go on here, and says nothing more until it has recovered."""
        if self.kind is not ERROR:
            where = self.span() if span is None else span
            self.report(code, message, where, label, labels=labels, help=help, fixes=fixes)
        self.panicking = True

    def unexpected(
        self,
        what: str,
        *,
        labels: tuple[Label, ...] = (),
        help: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Fails with what the grammar asks for and what is there instead."""
        self.fail(
            f"expected {what}, found {self.found()}",
            label=f"expected {what}",
            labels=labels,
            help=help,
            fixes=fixes,
        )

    def found(self) -> str:
        """The current token, for a message."""
        kind = self.kind
        if kind is NEWLINE:
            return "the end of the line"
        if kind is INDENT:
            return "an indented line"
        if kind is DEDENT:
            return "the end of the block"
        if kind is EOF:
            return "the end of the declaration"
        if kind is STRING:
            return "a string"
        text = self.token_text()
        return f"`{text if len(text) <= 40 else text[:40] + '…'}`"

    # --- recovering ---

    def skip_line(self) -> None:
        """Skips to the end of the line, and past any block indented under it."""
        kinds, i = self.kinds, self.i
        while kinds[i] not in LAYOUT:
            i += 1
        if kinds[i] is NEWLINE:
            i += 1
        self.go_to(i)
        if self.kind is INDENT:
            self.skip_block()
        self.panicking = False

    def skip_block(self) -> None:
        """Skips an indented block, whose INDENT is the current token."""
        kinds, i, depth = self.kinds, self.i, 0
        while kinds[i] is not EOF:
            if kinds[i] is INDENT:
                depth += 1
            elif kinds[i] is DEDENT:
                depth -= 1
                if not depth:
                    i += 1
                    break
            i += 1
        self.go_to(i)

    def skip_to_comma(self, close: int) -> None:
        """Skips to the next comma outside further brackets, but not past the token at `close`."""
        kinds, closers, i = self.kinds, self.closers, self.i
        while i < close and kinds[i] != ",":
            i = closers.get(i, i) + 1
        self.go_to(min(i, close))
        self.panicking = False

    def check_progress(self, before: int) -> None:
        """Every round of a loop must read something, or the parser would never end."""
        assert self.i > before, f"the parser makes no progress at {self.found()}"


def normalized(name: str) -> str:
    """A name as Python reads it (NFKC), so that generated code and Python code mean the same one."""
    from unicodedata import normalize

    return normalize("NFKC", name)


def _name_help(c: Cursor) -> str | None:
    text = c.token_text()
    return (
        f"`{text}` is a keyword: choose another name"
        if text.isidentifier() and c.kind not in LAYOUT
        else None
    )
