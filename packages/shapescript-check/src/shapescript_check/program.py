"""Checking whole files: the entry point of this package."""

from __future__ import annotations

from shapescript_check.bodies.functions import Checked
from shapescript_check.checking import Check, Kept
from shapescript_check.declarations.interfaces import Interface
from shapescript_check.declarations.module import ModuleScope
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.parsing.files import ParsedFile, parse_file
from shapescript_syntax.records import node
from shapescript_syntax.spans import Source


@node
class Program:
    """A checked file. Spans of `diagnostics` are counted from the start of the file."""

    source: Source
    file: ParsedFile
    scope: ModuleScope
    diagnostics: tuple[Diagnostic, ...]
    interfaces: dict[str, Interface]
    bodies: dict[str, Checked]

    @property
    def has_errors(self) -> bool:
        """Whether code can't be generated."""
        return has_errors(self.diagnostics)


class Checker:
    """Checks files, and keeps what it found so that an edit costs what it changes.

    `kept(path)` has, for tests, lists of what was worked out for a file.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def kept(self, path: str) -> Kept:
        """What is kept about a file."""
        return self._kept.setdefault(path, Kept())

    def check(self, path: str, text: str, *, hints: bool = False) -> Program:
        """Checks a file's text. Never raises for what the text says.

        Arguments:
            path: the file's path, as diagnostics name it.
            text: its text.
            hints: whether to look also for what is only worth a hint, which people want and programs don't.
        """
        kept = self.kept(path)
        file = parse_file(Source(path, text), kept.chunks)
        check = Check(file, kept, hints=hints)
        check.run()
        return Program(
            file.source, file, check.scope, tuple(check.diagnostics()), check.interfaces(), check.bodies()
        )

    def forget(self, path: str) -> None:
        """Drops what is kept about a file."""
        self._kept.pop(path, None)
