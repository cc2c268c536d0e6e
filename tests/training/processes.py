"""The processes that a test leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def loaders() -> list[int]:
    """The numbers of this process's loader workers."""
    if not Path("/proc").is_dir():
        pytest.skip("which processes there are is read from /proc")
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if int(state[1]) == os.getpid() and state[0] != "Z" and b"shapescript_runtime.loading" in command:
            found.append(int(folder.name))
    return sorted(found)
