"""Files that are replaced as a whole: whenever a writer is stopped, there is the old content or the new one."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import socket
from collections.abc import Callable
from typing import IO

_count = itertools.count()


def replace_file(path: str, write: Callable[[IO[bytes]], None]) -> None:
    """Writes a file beside another, and renames it to that once it is on the disk.

    What a process that was killed left beside it is removed by the next one that comes.

    Arguments:
        path: the file to replace. If it's a symbolic link, what it points to.
        write: writes the content to an open file.

    Raises OSError if the file can't be written, or is something else than a file. And whatever `write` raises.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(f"`{path}` isn't a file, so it can't be replaced by one")
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            errno.ENOENT, "There is no such folder to write a file in", os.path.dirname(path)
        )
    start = f".{name[:80]}.{socket.gethostname()[:40]}."
    _remove_abandoned(folder, start)
    beside = os.path.join(folder, f"{start}{os.getpid()}.{next(_count)}.tmp")
    try:
        with open(beside, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(folder)


def _remove_abandoned(folder: str, start: str) -> None:
    """Removes what processes of this machine that are gone were writing."""
    if os.name != "posix":
        return  # where asking whether a process is there may end it
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(start) and entry.name.endswith(".tmp"):
                pid = entry.name[len(start) :].partition(".")[0]
                if pid.isdigit() and not _is_running(int(pid)):
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _sync_folder(folder: str) -> None:
    """Puts the renaming on the disk, where a folder can be opened for that."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
