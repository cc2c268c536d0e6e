"""The lines of source that a diagnostic is about, with marks and their messages under them.

The layout is rustc's: the message of the rightmost mark of a line stands beside it, the others hang below
from bars, and a mark over several lines is a bar at their left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapescript_syntax.records import node
from shapescript_syntax.rendering.cells import Line, printable
from shapescript_syntax.rendering.rows import Row, paint
from shapescript_syntax.spans import Source, Span

WIDTH = 120
_WHOLE = 6  # a mark over at most this many lines shows all of them


@node
class Mark:
    """A span with a message. The style is a name of `rows`; all but `secondary` get carets."""

    span: Span
    message: str
    style: str


class _Placed:
    """A mark in lines, and columns counted from 0: it ends before `last_column` of the line `last`."""

    __slots__ = ("column", "first", "last", "last_column", "message", "style", "track")

    def __init__(self, start: tuple[int, int], end: tuple[int, int], message: str, style: str) -> None:
        self.first, self.column = start
        self.last, self.last_column = end
        self.message = message
        self.style = style
        self.track = 0

    @property
    def sign(self) -> str:
        return "-" if self.style == "secondary" else "^"


class Excerpt:
    """Marked lines of one source. `margin` is the width of their numbers."""

    def __init__(self, source: Source, marks: Sequence[Mark], *, color: bool, width: int = WIDTH) -> None:
        """The first mark is the primary one: long lines are cut around it, and it is drawn over others."""
        self._source = source
        self._color = color
        self._limit = width
        placed = [_place(source, mark) for mark in marks]
        self._primary = placed[0]
        self._single = [p for p in placed if p.first == p.last]
        self._bars = sorted(
            (p for p in placed if p.first != p.last), key=lambda p: (p.first, p.column, -p.last)
        )
        for track, bar in enumerate(self._bars):
            bar.track = 2 * track
        self._shown = _lines_to_show(placed)
        self.margin = len(str(self._shown[-1]))

    def rows(self) -> list[str]:
        """The lines as text, each starting with its number or an empty margin."""
        out: list[str] = []
        before = self._shown[0]
        for number in self._shown:
            if number == before + 2:
                out.extend(self._line(before + 1))
            elif number > before + 2:
                between = self._with_bars(p for p in self._bars if p.first <= before < p.last)
                bars = between.text(self._color)
                dots = "...".ljust(self.margin + 3) if bars else "..."
                out.append(paint(dots, "frame", self._color) + bars)
            out.extend(self._line(number))
            before = number
        return out

    def _line(self, number: int) -> list[str]:
        """A source line with everything under it."""
        text = self._source.line(number)
        single = [p for p in self._single if p.first == number]
        starts = [p for p in self._bars if p.first == number]
        ends = [p for p in self._bars if p.last == number]
        line = Line(text, self._focus(single, starts, ends), self._limit)
        active = [p for p in self._bars if p.first < number <= p.last]

        row = self._with_bars(active)
        for bar in starts:
            if not text[: bar.column].strip():
                row.put(bar.track, "/", bar.style)
                active.append(bar)
        row.put(self._left, line.text)
        out = [self._numbered(str(number), row)]
        for pieces in _under(line, single, self._primary):
            row = self._with_bars(active)
            for cell, piece, style in pieces:
                row.put(self._left + cell, piece, style)
            out.append(self._numbered("", row))
        for bar in starts:
            if bar not in active:
                out.append(self._numbered("", self._arrow(bar, line.cell(bar.column), active)))
                active.append(bar)
        for bar in ends:
            left, right = line.cells(max(bar.last_column - 1, 0), bar.last_column)
            row = self._arrow(bar, left, active)
            if bar.message:
                row.put(self._left + right + 1, bar.message, bar.style)
            out.append(self._numbered("", row))
            active.remove(bar)
        return out

    @property
    def _left(self) -> int:
        """The cell at which source text starts, after the bars."""
        return 2 * len(self._bars)

    def _with_bars(self, active: Iterable[_Placed]) -> Row:
        row = Row()
        for bar in active:
            row.put(bar.track, "|", bar.style)
        return row

    def _arrow(self, bar: _Placed, cell: int, active: Iterable[_Placed]) -> Row:
        """The row on which a bar starts or ends: a line from the bar to the cell of the source text."""
        row = Row()
        row.put(bar.track + 1, "_" * (self._left + cell - bar.track - 1), bar.style)
        row.put(self._left + cell, bar.sign, bar.style)
        for other in active:
            row.put(other.track, "|", other.style)
        return row

    def _numbered(self, number: str, row: Row) -> str:
        text = row.text(self._color)
        return paint(f"{number:>{self.margin}} |" + " " * bool(text), "frame", self._color) + text

    def _focus(self, single: list[_Placed], starts: list[_Placed], ends: list[_Placed]) -> tuple[int, int]:
        """The columns of a line that matter most, should it have to be cut."""
        ranges = [(p.column, p.last_column) for p in sorted(single, key=lambda p: p is not self._primary)]
        ranges += [(p.column, p.column + 1) for p in starts]
        ranges += [(max(p.last_column - 1, 0), p.last_column) for p in ends]
        if not ranges:
            return (0, 0)
        first, last = min(r[0] for r in ranges), max(r[1] for r in ranges)
        return (first, last) if last - first <= self._limit - 2 else ranges[0]


def _place(source: Source, mark: Mark) -> _Placed:
    """Where a mark is. One that ends in a line break ends with the line before it."""
    size = len(source.text)
    start = min(mark.span.start, size)
    end = min(max(mark.span.end, start), size)
    first, column = source.position(start)
    last, last_column = source.position(end)
    if last > first and last_column == 1:
        last -= 1
        last_column = len(source.line(last)) + 1
    return _Placed((first, column - 1), (last, last_column - 1), printable(mark.message), mark.style)


def _lines_to_show(placed: Iterable[_Placed]) -> list[int]:
    lines: set[int] = set()
    for p in placed:
        if p.last - p.first < _WHOLE:
            lines.update(range(p.first, p.last + 1))
        else:
            lines.update((p.first, p.first + 1, p.last - 1, p.last))
    return sorted(lines)


_Piece = tuple[int, str, str]  # a cell of the source text, what to write there, and its style


def _under(line: Line, marks: list[_Placed], primary: _Placed) -> list[list[_Piece]]:
    """The rows under a line for the marks within it: the underlines, then the messages that hang."""
    if not marks:
        return []
    cells = {p: line.cells(p.column, p.last_column) for p in marks}
    # Wide ones first, so that narrow ones are seen over them, and the primary one over all.
    order = sorted(marks, key=lambda p: (p is primary, cells[p][0] - cells[p][1]))
    underlines = [(cells[p][0], p.sign * (cells[p][1] - cells[p][0]), p.style) for p in order]
    told = sorted((p for p in marks if p.message), key=lambda p: -cells[p][0])
    if told:
        beside = max(told, key=lambda p: (cells[p][1], cells[p][0]))
        end = cells[beside][1]
        if end >= max(right for _, right in cells.values()):
            underlines.append((end + 1, beside.message, beside.style))
            told.remove(beside)
    rows = [underlines]
    if told:
        rows.append([(cells[p][0], "|", p.style) for p in told])
    for at, p in enumerate(told):
        bars = [(cells[q][0], "|", q.style) for q in told[at + 1 :] if cells[q][0] < cells[p][0]]
        rows.append([*bars, (cells[p][0], p.message, p.style)])
    return rows
