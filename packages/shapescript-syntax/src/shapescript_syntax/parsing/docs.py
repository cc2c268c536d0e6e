"""Doc comments: which declaration each one documents."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.cursor import Cursor
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import Comment


def collect_docs(c: Cursor, comments: list[Comment]) -> None:
    """Joins `##` lines that follow each other, and files them under the start of the line below them.

    One that follows code on its line documents nothing, and is reported at once (W0201).
    """
    text = c.text
    for comment in comments:
        start, end = comment.span
        if not text.startswith("##", start, end):
            continue
        if not comment.alone:
            report_doc(c, comment.span, "it follows code on its line")
            continue
        line = text[start + 2 : end].removeprefix(" ").rstrip()
        above = c.docs.pop(text.rfind("\n", 0, start) + 1, None)
        below = text.find("\n", end) + 1 or len(text) + 1
        if above is not None:
            c.docs[below] = (f"{above[0]}\n{line}", Span(above[1].start, end))
        else:
            c.docs[below] = (line, comment.span)


def take_doc(c: Cursor, start: int) -> tuple[str, Span] | None:
    """The doc comment directly above the line that `start` is on, if there is one."""
    return c.docs.pop(c.text.rfind("\n", 0, start) + 1, None) if c.docs else None


def report_unattached(c: Cursor) -> None:
    """Reports the doc comments that no declaration took (W0201)."""
    for _, span in c.docs.values():
        report_doc(c, span, "no declaration is on the line below it")


def report_doc(c: Cursor, span: Span, why: str) -> None:
    """Reports a doc comment that documents nothing (W0201)."""
    c.diagnostics.append(
        Diagnostic(
            "W0201",
            f"this doc comment documents nothing: {why}",
            span,
            label="not attached to a declaration",
            help="put it on the line above a declaration or a field, or start it with a single `#`",
        )
    )
