"""Places generated nodes in the .ss source, so that Python's own tracebacks and carets point there."""

from __future__ import annotations

import ast

from shapescript_syntax.spans import Source, Span

Place = tuple[int, int, int, int]
"""Line and column of the start, then of the end, as `ast` counts: lines from 1, columns in UTF-8 bytes."""


class Positions:
    """Turns spans of one chunk into places of the file."""

    __slots__ = ("_ascii", "offset", "source")

    def __init__(self, source: Source, offset: int) -> None:
        self.source = source
        self.offset = offset
        self._ascii = source.text.isascii()

    def place(self, span: Span) -> Place:
        """Where a span of the chunk is in the file."""
        line, column = self._position(span.start + self.offset)
        end_line, end_column = self._position(span.end + self.offset)
        return line, column, end_line, end_column

    def _position(self, offset: int) -> tuple[int, int]:
        line, column = self.source.position(offset)
        if self._ascii:
            return line, column - 1
        return line, len(self.source.line(line)[: column - 1].encode())

    def where(self, span: Span) -> str:
        """`file.ss:line:column`, as run-time errors name places."""
        line, column = self.source.position(span.start + self.offset)
        return f"{self.source.path}:{line}:{column}"


def put(node: ast.AST, place: Place) -> None:
    """Gives a place to a node and to everything under it that has none."""
    if hasattr(node, "lineno"):
        return
    if "lineno" in node._attributes:
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place  # type: ignore[attr-defined]
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            put(value, place)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST):
                    put(item, place)
