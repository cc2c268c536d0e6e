"""Rows of characters with styles, which become text with or without the colours of a terminal."""

from __future__ import annotations

# Names of styles to ANSI's parameters. Bold keeps to the terminal's own foreground colour.
_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "secondary": "1;94",
    "frame": "1;94",
    "bold": "1",
    "code": "36",
}


def paint(text: str, style: str, color: bool) -> str:
    """`text` in a style, for a terminal that shows colours if `color`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if color and style and text else text


class Row:
    """A row that is written to out of order: what is put later lies over what was put before."""

    __slots__ = ("_chars", "_styles")

    def __init__(self) -> None:
        self._chars: list[str] = []
        self._styles: list[str] = []

    def put(self, cell: int, text: str, style: str = "") -> None:
        """Writes `text` from `cell` on."""
        missing = cell + len(text) - len(self._chars)
        if missing > 0:
            self._chars.extend(" " * missing)
            self._styles.extend([""] * missing)
        self._chars[cell : cell + len(text)] = text
        self._styles[cell : cell + len(text)] = [style] * len(text)

    def text(self, color: bool) -> str:
        """The row without trailing blanks."""
        whole = "".join(self._chars).rstrip()
        if not color:
            return whole
        parts = []
        start = 0
        for at in range(1, len(whole) + 1):
            if at == len(whole) or self._styles[at] != self._styles[start]:
                parts.append(paint(whole[start:at], self._styles[start], color))
                start = at
        return "".join(parts)
