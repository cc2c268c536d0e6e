"""Where spans are, in the fields that formats for tools share."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Source, Span


def place(source: Source, span: Span) -> dict[str, str | int]:
    """A span as `file line column end_line end_column`: 1-based, in characters, the end being exclusive."""
    size = len(source.text)
    start = source.position(min(span.start, size))
    end = source.position(min(max(span.end, span.start), size))
    return {
        "file": source.path,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def labelled(diagnostic: Diagnostic) -> list[tuple[Span, str]]:
    """The second places of a diagnostic that has been located in its file."""
    return [(label.span, label.message) for label in diagnostic.labels if label.span is not None]
