"""How many terminal cells characters take, so that an underline is under what it underlines."""

from __future__ import annotations

TAB = "    "
ELLIPSIS = "…"

# Characters that reorder the text around them or break lines, which could make code look like other code.
_DISTURBING = frozenset(
    "\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def printable(text: str) -> str:
    """`text` with the characters that would disturb a terminal shown as pictures; line breaks stay."""
    if text.isprintable():
        return text
    return "".join(c if c == "\n" else shown(c) for c in text)


def shown(char: str) -> str:
    """What is printed for one character of source text."""
    if char == "\t":
        return TAB
    code = ord(char)
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "\u2421"
    if char in _DISTURBING or 128 <= code < 160 or 0xD800 <= code < 0xE000:
        return "\ufffd"
    return char


def width(char: str) -> int:
    """The cells that one character takes as it is shown: 4 for a tab, 0 for a combining mark, 2 for 漢."""
    if " " <= char <= "~":
        return 1
    if char == "\t":
        return len(TAB)
    code = ord(char)
    if code < 0x300 or char in _DISTURBING:
        return 1
    # The table of Unicode's names and classes is only read for the rare line that needs it.
    import unicodedata

    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


class Line:
    """One line of source, laid out in cells, cut around `focus` where it is longer than `limit` cells.

    `text` is what to print. `cell` says where a character's left edge is.
    """

    __slots__ = ("_edges", "_first", "_last", "_left", "text")

    def __init__(self, text: str, focus: tuple[int, int], limit: int) -> None:
        first, last = _window(text, focus, limit)
        kept = text[first:last]
        self._first, self._last = first, last
        self._left = 1 if first else 0
        edges = [self._left]
        for char in kept:
            edges.append(edges[-1] + width(char))
        self._edges = edges
        before, after = ELLIPSIS if first else "", ELLIPSIS if last < len(text) else ""
        self.text = before + "".join(shown(c) for c in kept) + after

    def cell(self, column: int) -> int:
        """The cell of a character, counted from 0; what was cut off is at the ellipsis that stands for it."""
        if column < self._first:
            return 0
        return self._edges[min(column, self._last) - self._first]

    def cells(self, start: int, end: int) -> tuple[int, int]:
        """The cells of the characters from `start` up to `end`, at least one cell wide."""
        left = self.cell(start)
        return left, max(self.cell(end) + (end > self._last), left + 1)


def _window(text: str, focus: tuple[int, int], limit: int) -> tuple[int, int]:
    """The range of characters to show: all of them, or those around `focus` that fit between two ellipses."""
    if len(text) <= limit and sum(map(width, text)) <= limit:
        return 0, len(text)
    start = last = first = min(focus[0], len(text))
    room = limit - 2
    stop = min(focus[1], len(text))
    while last < stop and width(text[last]) <= room:
        room -= width(text[last])
        last += 1
    room_left = room // 2
    while first > 0 and width(text[first - 1]) <= room_left:
        first -= 1
        room_left -= width(text[first])
    room -= room // 2 - room_left
    while last < len(text) and width(text[last]) <= room:
        room -= width(text[last])
        last += 1
    while first > 0 and width(text[first - 1]) <= room:
        first -= 1
        room -= width(text[first])
    assert first <= start <= last
    return first, last
