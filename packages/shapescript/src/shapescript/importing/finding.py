"""Which file an `import` in a .ss file means. Loads no part of the compiler."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from shapescript.importing.spelling import spelled_so

STANDARD = "shapescript.std."
"""What the names of the standard library's files start with."""


def search_path() -> list[str]:
    """The folders of sys.path, where a program that runs here finds its imports.

    They are absolute, as modules' files are for Python: code is kept with the paths of files in it, and a program may
    change its folder.
    """
    return [os.path.abspath(os.fsdecode(folder)) for folder in sys.path]  # some programs add a Path


def find_file(
    module: str, folder: str, search_path: Iterable[str], installed: Callable[[], Sequence[str]] | None = None
) -> str | None:
    """The file of a dotted name: beside the importing file, on the search path, in the standard library, installed.

    Arguments:
        module: the name, such as `models.mlp`.
        folder: the importing file's folder.
        search_path: more folders, as in sys.path.
        installed: gives yet more, and is asked only if nothing is found before.
    """
    name = module.replace(".", os.sep) + ".ss"
    for place in _places(module, folder, search_path, installed):
        path = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(path) and spelled_so(path):
            return path
    return None


def _places(
    module: str, folder: str, search_path: Iterable[str], installed: Callable[[], Sequence[str]] | None
) -> Iterator[str]:
    yield folder
    yield from search_path
    if module.startswith(STANDARD):
        import shapescript

        yield os.path.dirname(os.path.dirname(os.path.abspath(shapescript.__file__)))
    if installed is not None:
        yield from installed()
