"""What checking a project of many files costs, whole and after an edit, and how that grows with the project.

    python benchmarks/projects.py

The projects are those of `programs/project.py`: a chain of files, each of which imports the one before it and others,
and one file that imports all. Times are the least of several tries, of a processor's time. What is checked again after
an edit is counted in functions.

Exits 1 if a line of a project of 40 files costs more than half as much again as a line of one of 10, or if an edit of a
file that all others import costs more than a quarter of a whole check.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from pathlib import Path
from time import process_time

from measuring.processes import in_turns, shapescript
from programs.project import project

from shapescript.importing.files import Files
from shapescript_check import Checker

TRIES = 5
GROWTH = 1.5
EDIT = 0.25


class Editor:
    """A project in a folder, and a checker that keeps what it found of it."""

    def __init__(self, folder: Path, files: int) -> None:
        self.folder = folder
        self.texts = project(files)
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        self.lines = sum(text.count("\n") for text in self.texts.values())
        self.checker = Checker()

    def check(self) -> float:
        """Checks the file that imports all others, and gives the seconds that it took."""
        path = self.folder / "main.ss"
        for name in self.texts:
            self.checker.kept(str(self.folder / name)).bodies.computed.clear()
        start = process_time()
        program = self.checker.check(
            str(path), path.read_text(encoding="utf-8"), hints=True, importer=Files([])
        )
        seconds = process_time() - start
        assert program.diagnostics == (), program.diagnostics[0].message
        return seconds

    def whole(self) -> float:
        """The seconds of a check from nothing."""
        self.checker = Checker()
        return self.check()

    def computed(self) -> int:
        """How many functions the last check checked."""
        kept = (self.checker.kept(str(self.folder / name)) for name in self.texts)
        return sum(len(each.bodies.computed) for each in kept)

    def edits(self, name: str, old: str, new: str) -> tuple[float, int]:
        """What a check takes after an edit of a file, there and back, and the functions that it checks again."""
        path = self.folder / name
        text = self.texts[name]
        assert text.count(old) == 1, (name, old)
        seconds = []
        for _ in range(TRIES):
            for now in (text.replace(old, new), text):
                path.write_text(now, encoding="utf-8")
                seconds.append(self.check())
        return min(seconds), self.computed()


def main() -> int:
    """Prints a line for each size of project."""
    whole_per_line = {}
    held = True
    print(f"{'':24}{'lines':>8}{'whole':>10}{'a line':>10}{'functions':>12}")
    with tempfile.TemporaryDirectory() as name:
        for files in (10, 20, 40):
            folder = Path(name) / str(files)
            folder.mkdir()
            editor = Editor(folder, files)
            whole = min(editor.whole() for _ in range(TRIES))
            whole_per_line[files] = whole / editor.lines
            print(
                f"{files:>4} files{'':14}{editor.lines:>8}{_shown(whole):>10}"
                f"{whole / editor.lines * 1e6:>7.0f} µs{editor.computed():>12}"
            )
            # What an editor has kept for long isn't looked through for garbage again and again.
            gc.collect()
            gc.freeze()
            edit, again = editor.edits("curves.ss", "* share\n", "* share * 2\n")
            held &= edit < EDIT * whole
            _report("a body that all files import", edit, again)
            _report("a curve, whose range they read", *editor.edits("curves.ss", "tanh(x)", "tanh(2 * x)"))
            _report(
                "a generic function's body", *editor.edits("training.ss", "clip_norm(1.0)", "clip_norm(2.0)")
            )
            _report("nothing", editor.check(), editor.computed())
            gc.unfreeze()
        costs = in_turns({"main": [*shapescript(), "check", folder / "main.ss"]}, times=TRIES)
        print(f"check of main.ss of 40 files, whole process{_shown(costs['main'].cpu):>21}")
    growth = whole_per_line[40] / whole_per_line[10]
    print(f"a line of 40 files costs {growth:.2f} times as much as one of 10")
    return int(not (held and growth <= GROWTH))


def _report(what: str, seconds: float, functions: int) -> None:
    print(f"  after an edit of {what:33}{_shown(seconds):>10}{functions:>12}")


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
