"""Which .ss file an import means."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from shapescript.importing.loader import Loader
from shapescript.importing.spelling import spelled_so
from shapescript.modes import CheckModes


class Finder:
    """A meta path finder for .ss files. `modes` are those of the modules it finds from now on."""

    def __init__(self, modes: CheckModes) -> None:
        self.modes = modes

    def in_workers(self) -> str:
        """The code that gives a fresh process a finder like this one. The runtime runs it in loader workers."""
        modes = self.modes
        return f"import shapescript; shapescript.install({modes.checks!r}, {modes.value_checks!r})"

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """The spec of a module that is a .ss file, or None to leave the import to the finders after this one.

        Folders count in the order of `sys.path`, or of the package's `__path__`: a .ss file comes before a
        Python module of the same folder, not before one of an earlier folder.
        """
        if fullname in sys.builtin_module_names:
            return None
        file_name = fullname.rpartition(".")[2] + ".ss"
        folders = sys.path if path is None else path
        for index, folder in enumerate(folders):
            if not isinstance(folder, str):
                continue
            file = os.path.join(folder, file_name)
            if os.path.isfile(file) and spelled_so(file):
                earlier = [str(f) for f in folders[:index]]
                spec = PathFinder.find_spec(fullname, earlier) if earlier else None
                # A namespace package has no loader: any module comes before one, wherever it is.
                if spec is not None and spec.loader is not None:
                    return None
                return spec_of(fullname, os.path.abspath(file), self.modes)
        return None


def spec_of(fullname: str, file: str, modes: CheckModes) -> ModuleSpec:
    """The spec of the module `fullname` that a .ss file defines."""
    spec = ModuleSpec(fullname, Loader(fullname, file, modes), origin=file)
    spec.has_location = True
    return spec
