"""Which file an `import` in a .ss file means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from shapescript.importing.spelling import spelled_so
from shapescript_check.modules.files import Found
from shapescript_syntax.reading import decode

STANDARD = "shapescript.std."
"""What the names of the standard library's files start with."""


class Files:
    """Finds imported files: beside the importing one, on the search path, in the standard library, among what is
    installed. What was found and read stays so, as long as the object lives.

    Arguments:
        search_path: folders, as in sys.path.
        installed: gives more folders, and is called only if nothing is found before.
    """

    def __init__(
        self, search_path: Sequence[str], installed: Callable[[], Sequence[str]] | None = None
    ) -> None:
        self._search_path = list(search_path)
        self._installed = installed
        self._found: dict[tuple[str, str], Found | str | None] = {}
        self._read: dict[str, Found | None] = {}

    def find(self, module: str, importing: str) -> Found | str | None:
        """The file of a dotted name that a file imports; None if there is none, or why it can't be used."""
        folder = "" if importing.startswith("<") else os.path.dirname(importing)
        key = (module, folder)
        if key not in self._found:
            self._found[key] = self._look(module, folder)
        return self._found[key]

    def identity(self, path: str) -> str:
        """What is equal for two paths of one file."""
        return path if path.startswith("<") else os.path.realpath(path)

    def _look(self, module: str, folder: str) -> Found | str | None:
        name = module.replace(".", os.sep) + ".ss"
        for place in self._places(module, folder):
            path = os.path.normpath(os.path.join(place, name))
            if os.path.isfile(path) and spelled_so(path):
                found = self._file(path, module)
                if found is not None:
                    return found
        return None

    def _places(self, module: str, folder: str) -> Iterator[str]:
        yield folder
        yield from self._search_path
        if module.startswith(STANDARD):
            import shapescript

            yield os.path.dirname(os.path.dirname(os.path.abspath(shapescript.__file__)))
        if self._installed is not None:
            yield from self._installed()

    def _file(self, path: str, module: str) -> Found | None:
        identity = os.path.realpath(path)
        if identity not in self._read:
            try:
                with open(path, "rb") as file:
                    text, problem = decode(file.read())
            except OSError:
                self._read[identity] = None
            else:
                shown = f"<shapescript>/{module.partition('.')[2].replace('.', '/')}.ss"
                standard = module.startswith(STANDARD)
                self._read[identity] = Found(identity, path, shown if standard else path, text, problem)
        return self._read[identity]


def from_environment() -> Sequence[str]:
    """The folders of $PYTHONPATH."""
    return [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
