"""Collecting diagnostics while something is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shapescript_syntax.diagnostics import Diagnostic, Fix, Label
from shapescript_syntax.spans import Span


class Reporter:
    """A list of diagnostics. While `silent` is above 0, reports are only counted."""

    __slots__ = ("_known", "diagnostics", "notes", "silenced", "silent")

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._known: set[Diagnostic] = set()
        self.silent = 0
        self.silenced = 0
        self.notes: list[Callable[[], str]] = []
        """What gives notes to add to every report, such as the stage of a pipeline that is being checked."""

    def __call__(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        label: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        help: str | None = None,
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Adds a diagnostic."""
        if self.silent:
            self.silenced += 1
            return
        noted = (*notes, *(note() for note in self.notes))
        found = Diagnostic(code, message, span, label, tuple(labels), noted, help, tuple(fixes))
        if found not in self._known:
            self._known.add(found)
            self.diagnostics.append(found)

    def take_back(self, count: int) -> list[Diagnostic]:
        """Leaves the first so many diagnostics, and gives the others."""
        others = self.diagnostics[count:]
        del self.diagnostics[count:]
        self._known.difference_update(others)
        return others
