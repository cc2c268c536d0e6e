"""What the compiler has to say about a program, as data. Renderers are in `rendering`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shapescript_syntax.records import replaced, value
from shapescript_syntax.spans import Span

SEVERITIES = {"E": "error", "W": "warning", "H": "hint"}


@value
class Label:
    """A second place that a diagnostic is about.

    Either `span`, in the chunk that the diagnostic itself is in, or a part of another declaration, named rather
    than pointed at so that it stays right when that declaration moves: `declaration` is its name, and `part` is
    `name`, `returns`, `body` or a parameter's or field's name after `:`, as in `:x`.
    """

    span: Span | None
    message: str
    declaration: str | None = None
    part: str = "name"


@value
class Fix:
    """An edit that mends a problem: each span is replaced by its text."""

    title: str
    edits: tuple[tuple[Span, str], ...]


@value
class Diagnostic:
    """One problem, at one place.

    `message` is a single line. `label` is written under the primary span, `notes` state facts (what each size is
    bound to), and `help` ends in something that can be pasted.
    """

    code: str
    message: str
    span: Span
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> str:
        """`error`, `warning` or `hint`, from the code's letter."""
        return SEVERITIES[self.code[0]]

    @property
    def is_error(self) -> bool:
        return self.code[0] == "E"

    def located(self, offset: int, place_of: Callable[[str, str], Span | None]) -> Diagnostic:
        """The same diagnostic with spans counted from the start of the file.

        `offset` is where its own chunk starts, and `place_of` gives the place in the file of a part of another
        declaration (None for one that has no place in this file, whose label is dropped).
        """
        labels = []
        for label in self.labels:
            if label.declaration is not None:
                span = place_of(label.declaration, label.part)
            else:
                span = label.span.shifted(offset) if label.span is not None else None
            if span is not None:
                labels.append(Label(span, label.message))
        fixes = tuple(Fix(f.title, tuple((s.shifted(offset), t) for s, t in f.edits)) for f in self.fixes)
        return replaced(self, span=self.span.shifted(offset), labels=tuple(labels), fixes=fixes)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops a build."""
    return any(d.is_error for d in diagnostics)
