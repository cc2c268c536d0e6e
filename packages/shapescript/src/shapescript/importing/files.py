"""The files that .ss files import, for the checker."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from shapescript.importing.finding import STANDARD, find_file
from shapescript.packaging.newer import newer_compiler, too_old
from shapescript_check.modules.files import Found, TooNew
from shapescript_syntax.reading import decode
from shapescript_syntax.spans import Span


class Files:
    """Finds and reads imported files. What it found once stays so, as long as it lives.

    Arguments:
        search_path: folders, as in sys.path.
        installed: gives more folders, and is called only if a file is in none of the others.

    Attributes:
        answers: the file for each module and folder of an importing file that was asked for, None if there is none.
    """

    def __init__(
        self, search_path: Sequence[str], installed: Callable[[], Sequence[str]] | None = None
    ) -> None:
        self._search_path = list(search_path)
        self._installed = installed
        self.answers: dict[tuple[str, str], Found | TooNew | None] = {}
        self._read: dict[str, Found | None] = {}

    def find(self, module: str, importing: str) -> Found | TooNew | None:
        """The file of a dotted name that a file imports; None if there is none."""
        folder = "" if importing.startswith("<") else os.path.dirname(importing)
        key = (module, folder)
        if key not in self.answers:
            path = find_file(module, folder, self._search_path, self._installed)
            self.answers[key] = self._file(path, module) if path is not None else None
        return self.answers[key]

    def offered(self, importing: str) -> list[str]:
        """The modules beside a file, in the folders beside it, and in the standard library."""
        from shapescript import std

        folder = "" if importing.startswith("<") else os.path.dirname(importing)
        found = []
        for place in (folder, *_folders(folder)):
            prefix = f"{os.path.basename(place)}." if place != folder else ""
            found += [f"{prefix}{name[:-3]}" for name in _names(place) if name.endswith(".ss")]
        own = os.path.basename(importing).removesuffix(".ss")
        return [
            *(module for module in found if module != own),
            *(f"{STANDARD}{name}" for name in std.names()),
        ]

    def is_python(self, module: str, importing: str) -> bool:
        """Whether there is a Python module of a dotted name, as far as can be told without importing its packages."""
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names:
            return True
        own = [] if importing.startswith("<") else [os.path.dirname(importing)]
        places = [*own, *self._search_path, *(self._installed() if self._installed is not None else ())]
        # A package without an __init__.py may be a folder of .ss files.
        files = (os.path.join(place, top, "__init__.py") for place in places)
        return any(map(os.path.isfile, files)) or any(
            os.path.isfile(os.path.join(place, f"{top}.py")) for place in places
        )

    def identity(self, path: str) -> str:
        """What is equal for two paths of one file."""
        return path if path.startswith("<") else os.path.realpath(path)

    def _file(self, path: str, module: str) -> Found | TooNew | None:
        version = newer_compiler(os.path.dirname(path))
        if version is not None:
            told = too_old(path, version, Span(0, 0))
            return TooNew(told.message, told.label, told.help or "")
        identity = os.path.realpath(path)
        if identity not in self._read:
            try:
                with open(path, "rb") as file:
                    text, problem = decode(file.read())
            except OSError:
                self._read[identity] = None
            else:
                shown = path
                if module.startswith(STANDARD):
                    shown = f"<shapescript>/{module.partition('.')[2].replace('.', '/')}.ss"
                self._read[identity] = Found(identity, path, shown, text, problem)
        return self._read[identity]


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or os.curdir))
    except OSError:
        return []


def _folders(folder: str) -> list[str]:
    places = [os.path.join(folder, name) for name in _names(folder) if not name.startswith((".", "_"))]
    return [place for place in places if os.path.isdir(place)]


def from_environment() -> Sequence[str]:
    """The folders of $PYTHONPATH."""
    return [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
