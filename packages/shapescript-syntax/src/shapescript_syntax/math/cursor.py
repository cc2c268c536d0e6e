"""Where the parser of a formula is: tokens, and what has been opened."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from shapescript_syntax.math.malformed import Opened, misplaced
from shapescript_syntax.spans import Span

_TOKEN: Final = re.compile(r"(\s*)(\\(?:[A-Za-z]+|[\s\S])|\S)")
_ENDS: Final = frozenset(["", "}", "&", "\\\\", "\\right", "\\end", "$"])
"""Tokens that end a row, the end of the formula among them."""


class Cursor:
    """A place in a formula. `token` is the current token, empty at the end, and `begin` where it starts."""

    def __init__(self, latex: str, start: int) -> None:
        self.text = latex
        self.start = start
        self.tokens: list[str] = []
        self.begins: list[int] = []
        at = 0
        for space, token in _TOKEN.findall(latex):
            at += len(space)
            self.tokens.append(token)
            self.begins.append(at)
            at += len(token)
        self.tokens.append("")
        self.begins.append(len(latex))
        self.opened: list[Opened] = []
        self.token = ""
        self.i = self.begin = self.last = 0
        self.go_on(0)

    def advance(self) -> None:
        """Goes to the next token."""
        self.last = self.begin + len(self.token)
        self.i += 1
        self.token = self.tokens[self.i]
        self.begin = self.begins[self.i]

    def go_on(self, at: int) -> None:
        """Goes to the first token from `at` on. What is before `at` has been read."""
        self.last = at
        self.i = bisect_left(self.begins, at)
        self.token = self.tokens[self.i]
        self.begin = self.begins[self.i]

    @property
    def end(self) -> int:
        """Where the current token ends."""
        return self.begin + len(self.token)

    def span(self) -> Span:
        """The span of the current token."""
        return Span(self.start + self.begin, self.start + self.end)

    def span_from(self, begin: int) -> Span:
        """From `begin` to the end of what has been read."""
        return Span(self.start + begin, self.start + max(begin, self.last))

    def at_end(self) -> bool:
        """Whether the current token ends the row that it is in."""
        return self.token in _ENDS or (
            self.token == "]" and bool(self.opened) and self.opened[-1].token == "["
        )

    def open(self, token: str, span: Span, name: str = "") -> None:
        """Notes what has to be closed from here on."""
        self.opened.append(Opened(token, span, name))

    def close(self, token: str) -> None:
        """Checks that the current token closes what was opened last."""
        if self.token != token:
            raise misplaced(self.opened, self.token, self.span())
        self.opened.pop()
