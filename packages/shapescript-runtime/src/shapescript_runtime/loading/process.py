"""Starting one worker process: a fresh interpreter that runs `worker.main`, and nothing of the program's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from multiprocessing import Pipe, spawn, util
from multiprocessing.connection import Connection
from typing import Any

from .memory import WINDOWS, Memory

# Ctrl-C is for the program to handle: it reaches its whole group of processes.
_PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = {path!r}; {imports}"
    "from shapescript_runtime.loading.worker import main; main({handle})"
)


class Process:
    """A worker process, and the connection to it. It ends when the connection does.

    Attributes:
        connection: takes and gives messages.
        waiting: how many batches it has been asked for and hasn't given.
    """

    def __init__(self, memories: list[Memory]) -> None:
        self.connection, theirs = Pipe()
        self.waiting = 0
        handle = theirs.fileno()
        command = [
            os.fsdecode(spawn.get_executable() or sys.executable),
            *util._args_from_interpreter_flags(),  # type: ignore[attr-defined]
            "-c",
            _PROGRAM.format(path=sys.path, imports=_imports(), handle=handle),
        ]
        options: dict[str, Any] = {}
        if WINDOWS:
            os.set_handle_inheritable(handle, True)  # type: ignore[attr-defined]
            info = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})  # type: ignore[attr-defined]
            options["startupinfo"] = info
        else:
            options["pass_fds"] = [handle, *(memory.handle for memory in memories)]
        self._popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
        theirs.close()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._popen.pid

    def is_alive(self) -> bool:
        """Whether it hasn't ended."""
        return self._popen.poll() is None

    def fate(self) -> str:
        """How it ended, after it closed its connection: "was killed by SIGKILL", "exited with status 1"."""
        try:
            status = self._popen.wait(10)
        except subprocess.TimeoutExpired:
            return "stopped answering"
        if status >= 0:
            return f"exited with status {status}"
        try:
            return f"was killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"was killed by signal {-status}"

    def end(self) -> None:
        """Ends it, at once if it is busy. A worker has nothing to put in order."""
        self.connection.close()
        if self._popen.poll() is None:
            self._popen.kill()
        self._popen.wait()


def _imports() -> str:
    """Code that lets a worker import what the program can, such as .ss files, which the dataset's module may need.

    A finder on sys.meta_path says so itself.
    """
    codes = [finder.in_workers() for finder in sys.meta_path if hasattr(finder, "in_workers")]
    return "".join(f"{code}; " for code in codes)


def connection_of(handle: int) -> Connection:
    """A worker's end of the connection."""
    if WINDOWS:
        from multiprocessing.connection import PipeConnection  # type: ignore[attr-defined]

        return PipeConnection(handle)
    return Connection(handle)
