"""Finding math in comments, by the rules of Pandoc's Markdown (its extension tex_math_dollars).

Inline math is `$x$`. Neither dollar has a space inside it, no digit follows the second, and both are on one
line. Displayed math is `$$x$$`, in one paragraph. `\\$` is a dollar, three or more dollars in a row are text, and
no math is in code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from shapescript_syntax.records import replaced, value
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import Comment

_MARKS: Final = re.compile(r"\\|`+|\$+")
_BACKTICKS: Final = re.compile(r"`+")
_FENCE: Final = re.compile(r"\s*(`{3,}(?=[^`]*\Z)|~{3,})")
_TEXT: Final = re.compile(r"\\text(?=\{)")
_DIGITS: Final = frozenset("0123456789")
_BRACES: Final = re.compile(r"\\[^\n]|[{}]")


@value
class Math:
    """Math as written: `span` covers its dollars, and `latex` is what they enclose.

    In `latex`, what begins a comment line is replaced by as many spaces, so that its characters are where they
    are in the text, starting at `start`.
    """

    span: Span
    latex: str
    displayed: bool

    @property
    def start(self) -> int:
        """Where the LaTeX starts."""
        return self.span.start + (2 if self.displayed else 1)


def find_math(text: str, comments: Iterable[Comment]) -> Iterator[Math]:
    """The math in the comments of a chunk, with spans from the chunk's start."""
    for block in _blocks(text, comments):
        start, end = block[0].span.start, block[-1].span.end
        if "$" in text[start:end]:
            yield from find_in(_without_markers(text, block), start)


def find_in(text: str, offset: int = 0) -> Iterator[Math]:
    """The math in the text of a comment, such as a declaration's `doc`, with spans from `offset` on."""
    for start, end in _paragraphs(text):
        for found in _Paragraph(text, start, end).math():
            yield replaced(found, span=found.span.shifted(offset))


# --- comments to paragraphs --------------------------------------------------------------------------------


def _blocks(text: str, comments: Iterable[Comment]) -> Iterator[list[Comment]]:
    """Comments grouped: lines of one kind that follow each other directly, and each comment after code."""
    block: list[Comment] = []
    for comment in comments:
        if block and not _continues(text, block[-1], comment):
            yield block
            block = []
        block.append(comment)
    if block:
        yield block


def _continues(text: str, above: Comment, below: Comment) -> bool:
    between = text[above.span.end : below.span.start]
    return (
        above.alone
        and below.alone
        and between.count("\n") == 1
        and _marker(text, above) == _marker(text, below)
    )


def _marker(text: str, comment: Comment) -> int:
    """The length of the `#` or `##` that a comment starts with."""
    return 2 if text.startswith("##", comment.span.start) else 1


def _without_markers(text: str, block: list[Comment]) -> str:
    parts = []
    at = block[0].span.start
    for comment in block:
        start, end = comment.span
        marker = _marker(text, comment)
        parts += [text[at:start], " " * marker, text[start + marker : end]]
        at = end
    return "".join(parts)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The pieces of a text between blank lines and fenced code."""
    lines = text.split("\n")
    begin = at = 0
    code_until = -1
    unclosed: dict[str, int] = {}
    for number, line in enumerate(lines):
        end = at + len(line)
        if number > code_until:
            code_until = _end_of_fence(lines, number, unclosed)
        if number <= code_until or not line.strip():
            if begin < at:
                yield begin, at
            begin = end + 1
        at = end + 1
    if begin < len(text):
        yield begin, len(text)


def _end_of_fence(lines: list[str], number: int, unclosed: dict[str, int]) -> int:
    """The line that closes the code fence on a line, or -1 if it opens none.

    `unclosed` remembers how short a fence of each character was not closed, since a later one can't be either.
    """
    opening = _FENCE.match(lines[number])
    if opening is None:
        return -1
    fence = opening[1]
    if len(fence) >= unclosed.get(fence[0], len(fence) + 1):
        return -1
    for below in range(number + 1, len(lines)):
        line = lines[below].strip()
        if len(line) >= len(fence) and line == fence[0] * len(line):
            return below
    unclosed[fence[0]] = len(fence)
    return -1


# --- paragraphs to math ------------------------------------------------------------------------------------


class _Paragraph:
    """A piece of `text` without blank lines, from `begin` to `end`."""

    def __init__(self, text: str, begin: int, end: int) -> None:
        self.text = text
        self.begin = begin
        self.end = end
        self.code = self._code_spans() if text.find("`", begin, end) >= 0 else {}
        self._braces: dict[int, int] | None = None

    def math(self) -> Iterator[Math]:
        at = self.begin
        while (mark := _MARKS.search(self.text, at, self.end)) is not None:
            start, at = mark.span()
            if mark[0] == "\\":
                at += 1
            elif mark[0][0] == "`":
                at = self.code.get(start, at)
            elif at - start <= 2:
                displayed = at - start == 2
                close = self._displayed_close(at) if displayed else self._inline_close(at)
                if close is None:
                    # The second of two dollars may still open inline math.
                    at = start + 1
                    continue
                latex = self.text[at:close]
                at = close + (2 if displayed else 1)
                yield Math(Span(start, at), latex, displayed)

    def _inline_close(self, start: int) -> int | None:
        """Where the dollar is that closes the one just before `start`, if it opens math."""
        text = self.text
        at = start
        if at >= self.end or text[at].isspace():
            return None
        line_end = text.find("\n", at, self.end)
        end = line_end if line_end >= 0 else self.end
        while (mark := _MARKS.search(text, at, end)) is not None:
            found, at = mark.span()
            if mark[0] == "\\":
                at = self._after_text(found) if _TEXT.match(text, found) else at + 1
            elif mark[0][0] == "`":
                if found in self.code:
                    return None
            elif at - found > 2 or text[found - 1].isspace():
                return None
            else:
                return None if text[found + 1 : found + 2] in _DIGITS else found
        return None

    def _displayed_close(self, start: int) -> int | None:
        """Where the two dollars are that close those just before `start`."""
        at = start
        while (mark := _MARKS.search(self.text, at, self.end)) is not None:
            found, at = mark.span()
            if mark[0] == "\\":
                at += 1
            elif found in self.code or (len(mark[0]) > 2 and mark[0][0] == "$"):
                return None
            elif mark[0] == "$$":
                return found if self.text[start:found].strip() else None
        return None

    def _after_text(self, start: int) -> int:
        r"""Past `\text{…}`, whose dollars close nothing; past its backslash if it has no end on its line."""
        if self._braces is None:
            self._braces = {}
            opened: list[int] = []
            for mark in _BRACES.finditer(self.text, start, self.end):
                if mark[0] == "{":
                    opened.append(mark.start())
                elif mark[0] == "}" and opened:
                    self._braces[opened.pop()] = mark.end()
        opening = start + len("\\text")
        end = self._braces.get(opening)
        return opening if end is None or "\n" in self.text[opening:end] else end

    def _code_spans(self) -> dict[int, int]:
        """Where code spans start and end: between runs of equally many backticks."""
        runs: dict[int, list[int]] = {}
        for run in _BACKTICKS.finditer(self.text, self.begin, self.end):
            runs.setdefault(len(run[0]), []).append(run.start())
        spans = {}
        at = self.begin
        while (mark := _MARKS.search(self.text, at, self.end)) is not None:
            start, at = mark.span()
            if mark[0] == "\\":
                at += 1
            elif mark[0][0] == "`":
                length = at - start
                same = runs.get(length, [])
                closing = bisect_left(same, at)
                if closing < len(same):
                    at = spans[start] = same[closing] + length
        return spans
