"""The .ss files of a wheel: checked together, and what goes into the wheel with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from shapescript import __version__
from shapescript.importing.files import Files
from shapescript.packaging.carrying import Carrier, is_standard, standard_place
from shapescript.packaging.newer import BUILD_FILE, build_file
from shapescript_check import Checker
from shapescript_check.modules.files import Found, TooNew
from shapescript_check.pymodules import hand_written, is_generated, module_path, module_text
from shapescript_runtime.built import file_of
from shapescript_runtime.finding import FOLDER
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.reading import decode
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source, Span

if TYPE_CHECKING:
    from shapescript_check.program import Program

LOADER = '__import__("shapescript_runtime.installed").installed.load(globals(), __file__)'
"""The last line of a typed module in a wheel, which needs the runtime and not the compiler."""


class BuildError(Exception):
    """A wheel that can't be built. The text says why, and shows errors as `shapescript check` does."""


class _Sources(Files):
    """The files of the wheel, then the installed ones. Diagnostics show those of the wheel as the project has them."""

    searched = (
        "it is looked for beside this file, in the wheel, and among the packages that are installed where the wheel is "
        "built: those of `requires` under `[build-system]` in pyproject.toml"
    )

    def __init__(self, root: str, project: str) -> None:
        super().__init__([root, *(folder for folder in sys.path if folder)])
        self._root = root
        self._project = project

    def shown(self, path: str) -> str:
        """The path of a file in diagnostics."""
        if not path.startswith(self._root + os.sep):
            return path
        inside = os.path.relpath(path, self._root)
        places = (os.path.join("src", inside), inside)
        return next((p for p in places if os.path.isfile(os.path.join(self._project, p))), inside)

    def find(self, module: str, importing: str) -> Found | TooNew | None:
        found = super().find(module, importing)
        if not isinstance(found, Found) or found.shown != found.path:
            return found
        return Found(found.identity, found.path, self.shown(found.path), found.text, found.problem)


class Packaged:
    """The .ss files of a wheel, unpacked in the folder `root`.

    Arguments:
        root: the folder, without links in its path.
        names: the wheel's files, with `/`.
        project: the folder that it was built from.
    """

    def __init__(self, root: str, names: Iterable[str], project: str) -> None:
        self._root = root
        self._names = set(names)
        self._sources = _Sources(root, project)
        self._programs: dict[str, Program] = {}

    def check(self, stream: TextIO) -> None:
        """Checks every file, and writes warnings to `stream`.

        Raises:
            BuildError: if there are errors.
        """
        checker = Checker()
        failed = []
        for name in sorted(name for name in self._names if name.endswith(".ss")):
            source, found = self._checked(checker, name)
            shown = [d for d in found if d.severity != "hint"]
            text = render("text", [(source, shown)], color=False)
            if has_errors(shown):
                failed.append(text.rstrip("\n"))
            else:
                stream.write(text)
        if failed:
            count = f"{len(failed)} .ss file{'s' if len(failed) > 1 else ''}"
            raise BuildError("\n\n".join([*failed, f"the wheel isn't built: there are errors in {count}"]))
        if not self._programs:
            stream.write("shapescript.build: no .ss files in the wheel; does .gitignore leave them out?\n")

    def _checked(self, checker: Checker, name: str) -> tuple[Source, Iterable[Diagnostic]]:
        """Checks a file, which is kept if it can be compiled."""
        path = os.path.join(self._root, *name.split("/"))
        shown = self._sources.shown(path)
        if "/" not in name:
            raise BuildError(f"{shown} is in no package: put it into a folder, as in {name[:-3]}/{name}")
        with open(path, "rb") as file:
            text, problem = decode(file.read())
        if problem is not None:
            return Source(shown, text), [problem]
        program = checker.check(path, text, importer=self._sources)
        if not program.has_errors:
            self._programs[name] = program
        return Source(shown, text), [*program.diagnostics, *self._taken(name, program)]

    def _taken(self, name: str, program: Program) -> Iterable[Diagnostic]:
        """A warning if the place of a file's typed module is taken."""
        if not self._is_free(module_path(name)):
            first = program.source.text.partition("\n")[0]
            yield hand_written(name, Span(0, len(first)))

    def _is_free(self, module: str) -> bool:
        if module not in self._names:
            return True
        with open(os.path.join(self._root, *module.split("/")), encoding="utf-8", errors="replace") as file:
            return is_generated(file.readline())

    def files(self) -> dict[str, bytes]:
        """What the wheel gets, by its path in the wheel."""
        added: dict[str, bytes] = {}
        carrier = Carrier(self._root)
        for name, program in self._programs.items():
            if not all(part.isidentifier() for part in name[: -len(".ss")].split("/")):
                continue  # no import can name it
            folder, package = os.path.dirname(name), self._package(name)
            added[f"{folder}/{BUILD_FILE}"] = build_file(folder, __version__).encode()
            if (marker := f"{package}/py.typed") not in self._names:
                added[marker] = b""
            if self._is_free(module_path(name)):
                added[module_path(name)] = module_text(program, LOADER).encode()
            added[_code(name)] = carrier.built(program, name).text.encode()
            self._add_standard(program, f"{package}/{FOLDER}", carrier, added)
        return added

    def _add_standard(self, program: Program, folder: str, carrier: Carrier, added: dict[str, bytes]) -> None:
        """The standard library's files that a program imports: the runtime alone doesn't have them."""
        for imported in program.imports.files:
            if is_standard(imported.module):
                place = standard_place(imported.module)
                name = f"{folder}/{place}"
                if name not in added:
                    with open(imported.found.path, "rb") as file:
                        added[name] = file.read()
                    added[_code(name)] = carrier.built(imported.program, place).text.encode()
                    self._add_standard(imported.program, folder, carrier, added)

    def _package(self, name: str) -> str:
        """The folder that a type checker takes for the package of a file: below namespaces, which have no files."""
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            own = {f for f in self._names if os.path.dirname(f) == folder}
            if any(f.endswith((".py", ".ss")) for f in own):
                return folder
        return "/".join(parts)


def _code(name: str) -> str:
    """Where the compiled code of a .ss file of the wheel is."""
    return file_of(name).replace(os.sep, "/")
