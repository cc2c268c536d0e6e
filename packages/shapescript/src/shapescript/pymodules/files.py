"""The files of generated Python modules: what is in place, and whether to replace it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from shapescript.writing import write_whole
from shapescript_check.pymodules import is_generated, module_path, module_text

if TYPE_CHECKING:
    from shapescript_check.program import Program


class ModuleFile:
    """The Python module of a checked .ss file: its place, the text it should have, and what is there."""

    def __init__(self, program: Program) -> None:
        """Reads what is there.

        Raises:
            OSError: if it can't be read.
            ValueError: if the program has errors.
        """
        self.source = program.source.path
        self.path = module_path(self.source)
        self.text = module_text(program)
        self.found = _read(self.path)
        """What is there, or None."""

    @property
    def is_current(self) -> bool:
        """Whether what is there is what should be. Line ends are a matter of the platform and the repository."""
        return self.found is not None and self.found.replace("\r\n", "\n") == self.text

    @property
    def is_hand_written(self) -> bool:
        """Whether what is there is somebody's own, which is never replaced."""
        return self.found is not None and not is_generated(self.found)

    def write(self) -> None:
        """Puts the module in place, whole, and as new as its .ss file.

        Raises:
            OSError: if it can't be written. What was there is then as it was.
        """
        assert not self.is_hand_written
        # A link is followed: what it points at is what gets written.
        target = os.path.realpath(self.path)
        if self.is_current:
            os.utime(target)
        else:
            mode = os.stat(target).st_mode & 0o777 if self.found is not None else 0o666
            write_whole(target, self.text.encode("utf-8"), mode)


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return None


def refresh(path: str) -> None:
    """Writes the module of a .ss file anew if there is a generated one that is older. Where that can't be done, as for
    a file with errors or a folder that can't be written, nothing happens."""
    module = module_path(path)
    with contextlib.suppress(OSError):
        with open(module, encoding="utf-8", errors="replace") as file:
            if not is_generated(file.readline()):
                return
        if not os.access(os.path.dirname(os.path.realpath(module)), os.W_OK):
            return
        from shapescript.compiling import checked_file

        program = checked_file(path)
        if program is not None:
            ModuleFile(program).write()
