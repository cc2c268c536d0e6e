"""Positions in source text.

A span counts characters (not bytes) and is relative to the start of the chunk that its node was parsed
from, so that text inserted above a declaration changes nothing about it. `Source` turns offsets in a whole
file into lines and columns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:

    class _Range(NamedTuple):
        start: int
        end: int

    class _Place(NamedTuple):
        line: int
        column: int

else:
    # What NamedTuple makes, without the price of compiling annotations at start-up.
    _Range = namedtuple("_Range", ("start", "end"))
    _Place = namedtuple("_Place", ("line", "column"))


class Span(_Range):
    """A half-open range of characters, `start` up to but not including `end`."""

    __slots__ = ()

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)

    def shifted(self, offset: int) -> Span:
        """This span, counted from `offset` characters earlier."""
        return Span(self.start + offset, self.end + offset)


class Position(_Place):
    """A 1-based line, and a 1-based column counted in characters."""

    __slots__ = ()


class Source:
    """The text of one file, with an index of its lines."""

    __slots__ = ("_starts", "path", "text")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character."""
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def position(self, offset: int) -> Position:
        """The line and column of the character at `offset`."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line break."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")
