"""How many worker processes load a dataset."""

from __future__ import annotations

import operator
import os
from typing import Any

from .kinds import kind_of

_MOST = 4

_chosen: int | None = None


def loader_workers(count: int) -> int:
    """Sets how many worker processes load a dataset, from the next loop on. With 0, the calling process loads them.

    Returns how many there were.

    Raises:
        TypeError: the number isn't an int.
        ValueError: it is negative.
    """
    global _chosen
    before = worker_count()
    _chosen = _whole(count)
    return before


def worker_count() -> int:
    """How many workers load a dataset: 4, or as many as there are CPUs for this process, unless it was set."""
    if _chosen is not None:
        return _chosen
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST, cpus)


def _whole(count: Any) -> int:
    try:
        whole = operator.index(count)
    except TypeError:
        raise TypeError(f"loader_workers takes an int, not {kind_of(count)}") from None
    if whole < 0:
        raise ValueError(f"a dataset is loaded by 0 workers or more, not {whole}")
    return whole
