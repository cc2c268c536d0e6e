"""Programs of several files that are in memory."""

from __future__ import annotations

import posixpath

from shapescript_check import Checker
from shapescript_check.modules.files import Found
from shapescript_check.program import Program


class InMemory:
    """Finds imported files among texts by path, beside the importing file and then at the top.

    One is made for each check, since an importer gives the same answer as long as it lives.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def find(self, module: str, importing: str) -> Found | None:
        name = module.replace(".", "/") + ".ss"
        for path in (posixpath.join(posixpath.dirname(importing), name), name):
            if path in self.texts:
                return Found(path, path, path, self.texts[path])
        return None


def check(texts: dict[str, str], path: str = "main.ss", checker: Checker | None = None) -> Program:
    """The checked file of a path, which imports others of `texts`."""
    return (checker or Checker()).check(path, texts[path], importer=InMemory(texts), hints=True)


def found(program: Program) -> list[str]:
    """What is wrong, each with its line and column."""
    lines = []
    for diagnostic in program.diagnostics:
        line, column = program.source.position(diagnostic.span.start)
        lines.append(f"{line}:{column} {diagnostic.code} {diagnostic.message}")
    return lines
