"""How far loops over batches have come, on a terminal. tqdm draws it, where it is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any, TypeVar

_T = TypeVar("_T")

_shown = True


def show_progress(on: bool) -> bool:
    """Switches the display of progress on or off, from the next loop on, and returns what it was.

    It is on by default, and drawn only where stderr is a terminal and tqdm is installed.
    """
    global _shown
    before = _shown
    _shown = bool(on)
    return before


def followed(batches: Iterator[_T], total: int, where: str) -> Iterator[_T]:
    """Returns the batches of a loop, with a bar drawn while they are taken if there is anyone to see it."""
    bar = _bars()
    if bar is None:
        return batches
    line = os.path.basename(where.rpartition(":")[0])  # a long path would leave the bar no room
    return iter(bar(batches, desc=line or None, total=total, unit="batch", leave=False, dynamic_ncols=True))


def write_line(text: str) -> None:
    """Prints a line on stdout, above the bars that are being drawn."""
    loaded = sys.modules.get("tqdm")
    if loaded is not None and getattr(loaded.tqdm, "_instances", None):
        loaded.tqdm.write(text, file=sys.stdout)
    else:
        print(text)


def _bars() -> Any:
    """What draws a bar, or None where there is to be none."""
    if not _shown or sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm
