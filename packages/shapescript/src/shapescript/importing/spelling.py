"""File names as they are spelt."""

from __future__ import annotations

import os
import sys


def spelled_so(path: str) -> bool:
    """Whether a file that exists has exactly this name, which file systems that ignore case don't tell."""
    if sys.platform not in ("win32", "darwin", "cygwin"):
        return True
    folder, name = os.path.split(path)
    return name in os.listdir(folder or os.curdir)
