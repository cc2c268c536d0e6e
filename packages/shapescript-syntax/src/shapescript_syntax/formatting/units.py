"""A chunk as what is laid out one below the other: lines of code, and comments on lines of their own."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

from shapescript_syntax.formatting.horizontal import laid_out
from shapescript_syntax.formatting.parts import Word, grouped
from shapescript_syntax.formatting.spacing import Contexts, words_of
from shapescript_syntax.parsing.files import ParsedChunk
from shapescript_syntax.tokens import DEDENT, EOF, INDENT, NEWLINE, Comment, Tokens
from shapescript_syntax.tree import Alias, Dim, Domain, ExternFn, Import, ImportPython

INDENT_WIDTH: Final = 4
_STACKABLE: Final = (Alias, Dim, Domain, ExternFn, Import, ImportPython)


class Unit:
    """Lines that belong together, with what decides the blank lines around them.

    `start` and `end` are their offsets in the file. `stackable` says that no blank line need stand before another
    of their kind.
    """

    __slots__ = ("comment", "depth", "end", "lines", "stackable", "start")

    def __init__(
        self, start: int, end: int, depth: int, lines: list[str], *, comment: bool, stackable: bool
    ) -> None:
        self.start = start
        self.end = end
        self.depth = depth
        self.lines = lines
        self.comment = comment
        self.stackable = stackable


class _Line:
    """A logical line: the range of its tokens, and how deep it is."""

    __slots__ = ("column", "depth", "end", "first", "start", "stop")

    def __init__(self, tokens: Tokens, first: int, stop: int, depth: int) -> None:
        self.first = first
        self.stop = stop
        self.depth = depth
        self.start = tokens.starts[first]
        self.end = tokens.ends[stop - 1]
        self.column = self.start - (tokens.text.rfind("\n", 0, self.start) + 1)


def units_of(chunk: ParsedChunk, tokens: Tokens, offset: int) -> list[Unit]:
    """The units of a chunk that starts at `offset` in its file, in order."""
    contexts = Contexts(chunk, tokens)
    lines = _lines(tokens)
    inside, between = _share(tokens, lines)
    stackable = {item.span.start for item in chunk.items if isinstance(item, _STACKABLE)}
    units = []
    for number, line in enumerate(lines):
        words = words_of(tokens, line.first, line.stop, contexts)
        _attach(words, tokens, line, inside[number])
        text = laid_out(grouped(words, tokens, line.first), line.depth * INDENT_WIDTH)
        end = max([line.end, *(comment.span.end for comment in inside[number])])
        stack = line.start in stackable
        units.append(
            Unit(line.start + offset, end + offset, line.depth, text, comment=False, stackable=stack)
        )
    for comment, depth in between:
        start, end = comment.span
        text = [" " * (depth * INDENT_WIDTH) + _text(tokens, comment)]
        units.append(Unit(start + offset, end + offset, depth, text, comment=True, stackable=False))
    return sorted(units, key=lambda unit: unit.start)


def _text(tokens: Tokens, comment: Comment) -> str:
    return tokens.text[comment.span.start : comment.span.end].rstrip()


def _lines(tokens: Tokens) -> list[_Line]:
    lines = []
    depth = 0
    first = 0
    for i, kind in enumerate(tokens.kinds):
        if kind is INDENT:
            depth += 1
        elif kind is DEDENT:
            depth -= 1
        elif kind is NEWLINE:
            lines.append(_Line(tokens, first, i, depth))
        elif kind is not EOF:
            continue
        first = i + 1
    return lines


def _share(tokens: Tokens, lines: list[_Line]) -> tuple[list[list[Comment]], list[tuple[Comment, int]]]:
    """The comments in or behind each line, and those between lines with the depth they get."""
    inside: list[list[Comment]] = [[] for _ in lines]
    between: list[tuple[Comment, int]] = []
    starts = [line.start for line in lines]
    for comment in tokens.comments:
        number = bisect_right(starts, comment.span.start) - 1
        if number >= 0 and (not comment.alone or comment.span.start < lines[number].end):
            inside[number].append(comment)
        else:
            between.append((comment, 0))
    for i, (comment, _) in enumerate(between):
        earlier = between[i - 1] if i else None
        between[i] = (comment, _depth(tokens, lines, starts, comment, earlier))
    return inside, between


def _depth(
    tokens: Tokens,
    lines: list[_Line],
    starts: list[int],
    comment: Comment,
    earlier: tuple[Comment, int] | None,
) -> int:
    """How deep a comment between lines is: as deep as the block whose indentation it has."""
    number = bisect_right(starts, comment.span.start)
    below = lines[number].depth if number < len(lines) else 0
    if number == 0 or below >= lines[number - 1].depth:
        return below
    text = tokens.text
    if text.startswith("##", comment.span.start) and number < len(lines):
        line_end = text.find("\n", comment.span.end) + 1
        if line_end and line_end + lines[number].column == lines[number].start:
            return below
    column = comment.span.start - (text.rfind("\n", 0, comment.span.start) + 1)
    open_columns: dict[int, int] = {}
    for line in reversed(lines[:number]):
        open_columns.setdefault(line.depth, line.column)
        if line.depth == below:
            break
    depth = max((d for d, c in open_columns.items() if below <= d and c <= column), default=below)
    if earlier is not None and bisect_right(starts, earlier[0].span.start) == number:
        depth = min(depth, earlier[1])
    return max(depth, below)


def _attach(words: list[Word], tokens: Tokens, line: _Line, comments: list[Comment]) -> None:
    """Gives each comment of a line to the word that it comes before or behind."""
    text, starts = tokens.text, tokens.starts
    for i in range(1, len(words)):
        start = starts[line.first + i]
        words[i].starts_line = "\n" in text[tokens.ends[line.first + i - 1] : start]
    for comment in comments:
        following = bisect_left(starts, comment.span.start, line.first, line.stop) - line.first
        if not comment.alone:
            words[following - 1].after = _text(tokens, comment)
        else:
            words[following].before.append(_text(tokens, comment))
