"""Where a command's words go, and in which colours."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from argparse import ArgumentParser

COLOR_CHOICES = ("auto", "always", "never")


def parser(command: str, description: str, epilog: str) -> ArgumentParser:
    """A parser of the arguments of a command, whose help shows its texts as they are written."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter

    return ArgumentParser(
        prog=f"shapescript {command}",
        description=description,
        epilog=epilog,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_color(arguments: ArgumentParser) -> None:
    """Adds the option --color."""
    arguments.add_argument(
        "--color",
        choices=COLOR_CHOICES,
        default="auto",
        help="colours: auto (the default) means on a terminal, unless NO_COLOR is set",
    )


def add_python(arguments: ArgumentParser) -> None:
    """Adds the option --python."""
    arguments.add_argument(
        "--python",
        metavar="PYTHON",
        help="the interpreter whose installed packages can be imported; the default is that of the active virtual "
        "environment, else $SHAPESCRIPT_PYTHON, else this one",
    )


def use_color(choice: str, stream: TextIO) -> bool:
    """Whether to write colours to `stream`, for an answer to --color."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write(text: str, stream: TextIO | None = None) -> None:
    """Writes text as it is; what a stream's encoding has no letters for is escaped."""
    stream = sys.stdout if stream is None else stream
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def short(path: str) -> str:
    """A path from the current folder, if it is below that."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if path.startswith("<") or relative.startswith(os.pardir) else relative
