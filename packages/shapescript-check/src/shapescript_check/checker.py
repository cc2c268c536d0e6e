"""Checking whole files: the entry point of this package."""

from __future__ import annotations

from shapescript_check.checking.check import Check
from shapescript_check.checking.kept import Kept
from shapescript_check.modules.files import Importer
from shapescript_check.modules.scope import NO_IMPORTS
from shapescript_check.program import Program
from shapescript_syntax import tree
from shapescript_syntax.parsing.files import parse_file
from shapescript_syntax.spans import Source


class Checker:
    """Checks files, and keeps what it found so that an edit costs what it changes.

    `kept(path)` has, for tests, lists of what was worked out for a file.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._programs: dict[str, tuple[tuple[object, ...], Program]] = {}

    def kept(self, path: str) -> Kept:
        """What is kept about a file."""
        return self._kept.setdefault(path, Kept())

    def check(
        self, path: str, text: str, *, hints: bool = False, importer: Importer | None = None
    ) -> Program:
        """Checks a file's text. Never raises for what the text says.

        Arguments:
            path: the file's path, as diagnostics name it.
            text: its text.
            hints: whether to look also for what is only worth a hint, which people want and programs don't.
            importer: finds the .ss files that it imports; without one, none is found.
        """
        kept = self.kept(path)
        file = parse_file(Source(path, text), kept.chunks)
        if not any(isinstance(item, tree.Import) for _, chunk in file.placed for item in chunk.items):
            check = Check(file, kept, NO_IMPORTS, hints=hints)
            check.run()
            return Program(check)
        from shapescript_check.loading import Loader

        return Loader(importer, self._kept, self._programs).root(file, hints=hints)

    def forget(self, path: str) -> None:
        """Drops what is kept about a file."""
        self._kept.pop(path, None)
        self._programs.pop(path, None)
