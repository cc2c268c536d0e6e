"""The command line: one module per command, loaded when the command is given."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

from shapescript.cli.failures import CommandError

COMMANDS = {
    "check": "report what is wrong in .ss files",
    "build": "compile a .ss file to a Python module",
    "run": "run a program that imports .ss files, or a .ss file with a main",
    "new": "make a package to start from",
    "pymodules": "write the Python modules that editors and type checkers read",
    "fmt": "lay out .ss files in the one canonical way",
    "explain": "explain a diagnostic, such as E0408",
}

_HELP = """\
usage: shapescript COMMAND [ARGUMENTS…]

ShapeScript is a typed tensor language that compiles to PyTorch: shapes, dtypes and value domains are
checked before a program runs.

commands:
{commands}

  shapescript COMMAND --help says more about a command, with examples.
  shapescript --version prints the version.

examples:
  shapescript check model.ss
  shapescript explain E0408
  shapescript run train.py --epochs 3

exit codes:
  0  the command did what it was asked
  1  a program has errors
  2  the command line is wrong, or a file can't be read or written
"""


def main(arguments: list[str], *, is_last: bool = False) -> int:
    """Runs a command and returns the process's exit code. `arguments` don't include the program's name.

    `is_last` says that the process ends with the command, so that nothing it leaves need be tidied up.
    """
    collecting = gc.isenabled()
    gc.disable()  # looking for garbage takes a third of a long check
    try:
        program = _dispatch(arguments)
        sys.stdout.flush()
    except CommandError as error:
        print(f"shapescript: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read the output has had enough. Python would complain once more when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        if collecting:
            gc.enable()
    if isinstance(program, int):
        if is_last:
            gc.freeze()  # Python would look for garbage once more
        return program
    # A program that is run ends as it would without us, in whatever exception it likes.
    return program()


def main_of_module(arguments: list[str]) -> int:
    """As `main`, for `python -m shapescript`, which takes a program or `-m module` in place of a command."""
    first = arguments[0] if arguments else "--help"
    if first == "-m" or (first not in COMMANDS and not first.startswith("-")):
        return main(["run", *arguments], is_last=True)
    return main(arguments, is_last=True)


def _dispatch(arguments: list[str]) -> int | Callable[[], int]:
    """Runs a command and gives its exit code, or for `run` the program that is left to run."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if command in ("-h", "--help", "help"):
        rows = (f"  {name:<11}{what}" for name, what in COMMANDS.items())
        print(_HELP.format(commands="\n".join(rows)), end="")
        return 0
    if command in ("-V", "--version"):
        from shapescript import __version__

        print(f"shapescript {__version__}")
        return 0
    if command not in COMMANDS:
        raise CommandError(_unknown(command))
    from importlib import import_module

    try:
        result: int | Callable[[], int] = import_module(f"shapescript.cli.{command}").main(rest)
    except SystemExit as stop:
        # argparse leaves this way, with 0 after --help and 2 after a mistake.
        return stop.code if isinstance(stop.code, int) else 2
    return result


def _unknown(command: str) -> str:
    if command.endswith((".ss", ".py")):
        return f"no command `{command}`: to run that program, write `shapescript run {command}`"
    from difflib import get_close_matches

    near = get_close_matches(command, COMMANDS, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(COMMANDS)}"
    return f"no command `{command}`: {hint}"
