"""Carries out the blocks of a page, in a folder that holds the example programs and the files it names."""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cli import commands as processes
from tests.docs.pages import ROOT, Command, Fence, Page, commands, file_name, matches
from tests.language.specifications import program_of


class PageRun:
    """One page carried out. `wrong` collects what came out otherwise, and `printed` what was printed where.

    A key of `printed` is the page's first and last line of an output, the last one left out.
    """

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.wrong: list[str] = []
        self.printed: dict[tuple[int, int], list[str]] = {}
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def run(self) -> None:
        """Carries out every block, from top to bottom."""
        for example in (ROOT / "examples").glob("*.ss"):
            shutil.copy(example, self.folder)
        with _as_working_folder(self.folder):
            for number, fence in enumerate(self.page.fences):
                if fence.language in ("shapescript", "python") and (name := file_name(fence)) is not None:
                    program = program_of(self.page.path.stem, fence)
                    (self.folder / name).write_text(program.text, encoding="utf-8")
                elif fence.language == "python":
                    after = self.page.fences[number + 1] if number + 1 < len(self.page.fences) else None
                    self._python(fence, after if after is not None and after.language == "text" else None)
                elif fence.language == "console":
                    for command in commands(fence):
                        self._compare(command.at, command.output, self._command(command))

    def _python(self, fence: Fence, output: Fence | None) -> None:
        # Line breaks before the code make a traceback point into the page.
        code = "\n" * fence.at + "\n".join(fence.lines) + "\n"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(self.page.path), "exec"), self._names)
        if output is not None:
            self._compare(output.at + 1, output.lines, printed.getvalue().splitlines())

    def _command(self, command: Command) -> list[str]:
        words = shlex.split(command.words)
        run = {"shapescript": processes.shapescript, "python": processes.python}.get(words[0])
        if run is None:
            return _shell(words, self.folder)
        result = run(*words[1:], cwd=self.folder)
        return _trimmed(result.stdout + result.stderr)

    def _compare(self, at: int, expected: tuple[str, ...], printed: list[str]) -> None:
        here = f"{self.folder}{os.sep}"
        printed = [line.rstrip().replace(here, "") for line in printed]
        if not matches(tuple(line.rstrip() for line in expected), printed):
            self.printed[at, at + len(expected)] = printed
            self.wrong.append("\n".join([f"{self.page.name}:{at}: this is printed:", *printed]))


def _trimmed(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _shell(words: list[str], folder: Path) -> list[str]:
    """`cat FILE`, and `sed 's/OLD/NEW/' FILE > FILE`: what pages need of a shell, without one."""
    if words[0] == "cat":
        return _trimmed((folder / words[1]).read_text(encoding="utf-8"))
    assert (words[0], words[3]) == ("sed", ">"), words
    _, old, new, _ = words[1].split("/")
    text = (folder / words[2]).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} isn't once in {words[2]}"
    (folder / words[4]).write_text(text.replace(old, new), encoding="utf-8")
    return []


@contextlib.contextmanager
def _as_working_folder(folder: Path) -> Iterator[None]:
    """Makes a folder the current one and the first that modules are found in; forgets modules found there."""
    before, modules = Path.cwd(), set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
        linecache.checkcache()
