"""`shapescript run`, and `python -m shapescript program`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from shapescript.cli.failures import CommandError

_HELP = """\
usage: shapescript run [--python PYTHON] [--] PROGRAM [ARGUMENTS…]
       shapescript run [--python PYTHON] -m MODULE [ARGUMENTS…]

Runs a program that may import .ss files, without a call of shapescript.install().

  PROGRAM      a Python file, which runs as `python PROGRAM` would, or a .ss file, whose `fn main()` is called
  -m MODULE    a module that Python finds, which runs as `python -m MODULE` would
  ARGUMENTS    the program's own: sys.argv is [PROGRAM, ARGUMENTS…]

options:
  --python PYTHON  run with this interpreter, which needs ShapeScript too; the default is
                   $SHAPESCRIPT_PYTHON, and without it the interpreter of this command
  -h, --help       show this message

Errors of .ss files, whether found when they are compiled or when a value doesn't fit its type while the
program runs, are shown with the lines they are about and no traceback. SHAPESCRIPT_TRACEBACK=1 keeps the
tracebacks. Other exceptions always have theirs.

examples:
  shapescript run train.py --epochs 3
  shapescript run model.ss
  python -m shapescript train.py --epochs 3     the same, with this Python

exit codes:
  the program's own; 1 after an uncaught exception; 2 if the command line is wrong, or there is no such
  program or no `main` to call
"""


class _CommandLine(NamedTuple):
    """`program` is None for --help."""

    program: str | None
    is_module: bool
    arguments: list[str]
    python: str | None


def main(arguments: list[str]) -> int | Callable[[], int]:
    """Makes everything ready. What it returns runs the program, or is an exit code."""
    line = _parse(arguments)
    if line.program is None:
        print(_HELP, end="")
        return 0
    python = line.python or os.environ.get("SHAPESCRIPT_PYTHON")
    if python and not _is_this(python):
        flag = ["-m"] if line.is_module else []
        return _other(python, ["-m", "shapescript", "run", *flag, line.program, *line.arguments])
    from shapescript.cli import programs

    if line.is_module:
        return programs.module(line.program, line.arguments)
    return programs.file(line.program, line.arguments)


def _parse(arguments: list[str]) -> _CommandLine:
    """Reads options up to the program; all that follows is the program's own."""
    python = None
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-h", "--help"):
            return _CommandLine(None, False, [], None)
        if option == "--":
            break
        if option == "--python" or option.startswith("--python="):
            python = option.partition("=")[2] or (rest.pop(0) if option == "--python" and rest else "")
            if not python:
                raise CommandError("--python needs an interpreter, as in `--python .venv/bin/python`")
        elif option == "-m":
            if not rest:
                raise CommandError("-m needs a module, as in `shapescript run -m package.module`")
            return _CommandLine(rest[0], True, rest[1:], python)
        else:
            raise CommandError(f"`run` has no option `{option}`: `shapescript run --help` lists them")
    if not rest:
        raise CommandError("no program to run, as in `shapescript run train.py`")
    return _CommandLine(rest[0], False, rest[1:], python)


def _is_this(python: str) -> bool:
    import shutil

    found = shutil.which(python)
    # Links aren't followed: the Python of a virtual environment is a link to one that has other packages.
    return found is not None and os.path.abspath(found) == os.path.abspath(sys.executable)


def _other(python: str, arguments: list[str]) -> Callable[[], int]:
    """The program in the interpreter `python`, in place of this process where the platform can do that."""
    import shutil

    found = shutil.which(python)
    if found is None:
        raise CommandError(f"no interpreter {python}")
    # The other process is told to stay with itself.
    environment = {**os.environ, "SHAPESCRIPT_PYTHON": ""}

    def run() -> int:
        if os.name == "posix":
            os.execve(found, [python, *arguments], environment)
        import subprocess

        return subprocess.run([found, *arguments], env=environment, check=False).returncode

    return run
