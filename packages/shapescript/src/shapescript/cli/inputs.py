"""The files a command is given."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shapescript.cli.failures import CommandError, named, reason
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.reading import decode

if TYPE_CHECKING:
    from shapescript.importing.files import Files
    from shapescript_check.modules.files import Found, TooNew

STDIN = "-"
_SKIPPED = ("__pycache__", "node_modules")


def expand(paths: Iterable[str]) -> list[str]:
    """The files that are meant: each once, and for a folder every .ss file below it.

    Raises:
        CommandError: for a folder that has none.
    """
    found: dict[str, None] = {}
    for path in paths:
        if path != STDIN and os.path.isdir(path):
            below = list(_below(path))
            if not below:
                raise CommandError(f"no .ss files in {named(path)}")
            found.update(dict.fromkeys(below))
        else:
            found[path] = None
    return list(found)


def _below(folder: str) -> Iterable[str]:
    def refuse(error: OSError) -> None:
        raise CommandError(f"cannot read {named(error.filename)}: {reason(error)}")

    for place, folders, names in os.walk(folder, onerror=refuse):
        # Hidden folders hold environments, caches and version control, never a project's own programs.
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        for name in sorted(names):
            if name.endswith(".ss"):
                yield os.path.normpath(os.path.join(place, name))


def read(path: str) -> tuple[str, Diagnostic | None]:
    """A file's text, with a diagnostic if it isn't text.

    Raises:
        CommandError: if it can't be read.
    """
    try:
        if path == STDIN:
            return decode(sys.stdin.buffer.read())
        with open(path, "rb") as file:
            return decode(file.read())
    except OSError as error:
        raise CommandError(f"cannot read {named(path)}: {reason(error)}") from error
    except ValueError as error:  # a NUL in a path
        raise CommandError(f"cannot read {named(path)}: {error}") from error


class Importing:
    """Finds the .ss files that those of a command import: beside them, on $PYTHONPATH, and among what is installed."""

    searched = "it is looked for beside this file, then on $PYTHONPATH, and then among installed packages"

    def __init__(self, python: str | None = None) -> None:
        """`python` is the interpreter whose installed packages count, None for the one of the environment."""
        self._python = python
        self._files: Files | None = None

    def _loaded(self) -> Files:
        if self._files is None:
            from shapescript.importing.files import Files, from_environment

            self._files = Files(from_environment(), self._installed)
        return self._files

    def _installed(self) -> list[str]:
        from shapescript.searching import InterpreterError, interpreter_path

        try:
            return interpreter_path(self._python)
        except InterpreterError as error:
            raise CommandError(str(error)) from error

    def find(self, module: str, importing: str) -> Found | TooNew | None:
        """The file of a dotted name that a file imports."""
        return self._loaded().find(module, importing)

    def offered(self, importing: str) -> list[str]:
        """The modules that an import may have meant."""
        return self._loaded().offered(importing)

    def is_python(self, module: str, importing: str) -> bool:
        """Whether there is a Python module of a dotted name."""
        return self._loaded().is_python(module, importing)

    def identity(self, path: str) -> str:
        """What is equal for two paths of one file."""
        return self._loaded().identity(path)


def shown(path: str) -> str:
    """The name of a file in diagnostics."""
    return "<stdin>" if path == STDIN else path
