"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import contextlib
import os


def write_whole(file: str, data: bytes, mode: int = 0o666) -> None:
    """Puts a file in place in one step, over one that is there.

    Arguments:
        file: where; its folder must exist.
        data: all of it.
        mode: its permissions, less those that the process's umask takes away.

    Raises:
        OSError: if it can't be written. What was there is then as it was.
    """
    temporary = f"{file}.{os.getpid()}.{os.urandom(6).hex()}"
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
