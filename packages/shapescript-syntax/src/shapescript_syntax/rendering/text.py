"""Diagnostics for people: an excerpt of the source with the problem underlined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.rendering.cells import printable
from shapescript_syntax.rendering.excerpt import Excerpt, Mark
from shapescript_syntax.rendering.places import labelled
from shapescript_syntax.rendering.rows import paint
from shapescript_syntax.spans import Source

if TYPE_CHECKING:
    from shapescript_syntax.rendering import Report


def render(reports: Iterable[Report], *, color: bool = False) -> str:
    """All diagnostics of all reports, with an empty line after each."""
    return "".join(render_one(d, source, color=color) + "\n" for source, found in reports for d in found)


def render_one(diagnostic: Diagnostic, source: Source, *, color: bool = False) -> str:
    """One diagnostic, ending in a line break."""
    severity = diagnostic.severity
    head = paint(f"{severity}[{diagnostic.code}]", severity, color)
    marks = [Mark(diagnostic.span, diagnostic.label, severity)]
    marks += [Mark(span, message, "secondary") for span, message in labelled(diagnostic)]
    notes = [("note", note) for note in diagnostic.notes]
    if diagnostic.help is not None:
        notes.append(("help", diagnostic.help))
    return render_marked(head, diagnostic.message, [(source, marks)], notes, color=color)


def render_marked(
    head: str,
    message: str,
    parts: Sequence[tuple[Source, Sequence[Mark]]],
    notes: Iterable[tuple[str, str]] = (),
    *,
    color: bool = False,
) -> str:
    """A message about marked places, in the shape of a diagnostic.

    Each part is an excerpt of one source, under the location of its first mark. `notes` are pairs of a word,
    such as `note`, and its text, which may have several lines.
    """
    excerpts = [Excerpt(source, marks, color=color) for source, marks in parts]
    margin = max(excerpt.margin for excerpt in excerpts)
    bar = paint(f"{' ' * margin} |", "frame", color)
    out = [head + paint(": " + printable(message), "bold", color)]
    for (source, marks), excerpt in zip(parts, excerpts, strict=True):
        position = source.position(min(marks[0].span.start, len(source.text)))
        arrow = paint(" " * margin + ("-->" if excerpt is excerpts[0] else ":::"), "frame", color)
        out.append(f"{arrow} {printable(source.path)}:{position.line}:{position.column}")
        excerpt.margin = margin
        out += [bar, *excerpt.rows()]
        if excerpt is not excerpts[-1]:
            out.append(bar)
    rows = [_note(margin, word, text, color) for word, text in notes]
    return "\n".join([*out, *([bar] if rows else []), *rows]) + "\n"


def _note(margin: int, word: str, text: str, color: bool) -> str:
    first, *others = printable(text).split("\n")
    equals = paint(" " * margin + " =", "frame", color)
    indent = " " * (margin + len(f" = {word}: "))
    rows = [f"{equals} {paint(word + ':', 'bold', color)} {first}", *(indent + line for line in others)]
    return "\n".join(row.rstrip() for row in rows)
