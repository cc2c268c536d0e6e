"""The documentation's pages, and what their fenced blocks promise.

Blocks of a page belong together, from top to bottom:

- `shapescript` is a program. Comments on its lines say what is found there, as in the specification, and nothing
  else may be. One whose first line is `# name.ss` is a file of that name for the blocks below it.
- `python` runs, in the folder with those files; names carry on from block to block. A `text` block right after it
  is what it prints. One whose first line is `# name.py` is a file too, and isn't run.
- `console` is a transcript: after `$ ` a command, then what it prints. A line of `...` stands for any lines.

Any other language is for readers only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.language.specifications import Fence, Program, fences, program_of

ROOT = Path(__file__).resolve().parents[2]

_FILE_NAME = re.compile(r"^# ([a-z_0-9]+\.(?:ss|py))$")


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its path from the root, and its fenced blocks."""

    path: Path
    fences: tuple[Fence, ...]

    @property
    def name(self) -> str:
        return self.path.as_posix()

    @property
    def runs(self) -> bool:
        """Whether anything on it is carried out."""
        return any(fence.language in ("python", "console") for fence in self.fences)

    def programs(self) -> list[Program]:
        """Its programs. Each is named by the line of the page that it starts on."""
        found = []
        for fence in self.fences:
            if fence.language == "shapescript":
                program = program_of(self.path.stem, fence)
                program.name = str(fence.at)
                found.append(program)
        return found


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a transcript and the lines it prints. `at` is the page's line that the output starts on."""

    words: str
    at: int
    output: tuple[str, ...]


def pages() -> list[Page]:
    """Every page of the documentation, generated ones left out: their programs are tested where they come from."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [read(file) for file in files if not is_generated(file)]


def is_generated(file: Path) -> bool:
    """Whether `nox -s docs` wrote a page."""
    return file.read_text(encoding="utf-8").startswith("<!-- generated")


def read(file: Path) -> Page:
    """One page."""
    path = file.relative_to(ROOT)
    return Page(path, tuple(fences(file.read_text(encoding="utf-8"), path.as_posix())))


def file_name(fence: Fence) -> str | None:
    """The file that a program is for the blocks below it, or None."""
    named = _FILE_NAME.match(fence.lines[0]) if fence.lines else None
    return named[1] if named else None


def commands(fence: Fence) -> list[Command]:
    """The commands of a transcript."""
    found: list[Command] = []
    for number, line in enumerate(fence.lines, fence.at + 1):
        if line.startswith("$ "):
            found.append(Command(line[2:], number + 1, ()))
        else:
            last = found.pop()
            found.append(Command(last.words, last.at, (*last.output, line)))
    return found


def matches(expected: tuple[str, ...], printed: list[str]) -> bool:
    """Whether printed lines are the expected ones, among which `...` stands for any number of lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])
