"""Sizes that a program gives a pattern when it runs."""

from __future__ import annotations

from .errors import ShapeError


def pattern_size(size: int, name: str) -> int:
    """Returns the size that a keyword gives a name of a pattern.

    torch would take -1 for "as it is", and make an axis of size 0 without a word.

    Raises ShapeError for a size below 1.
    """
    if size < 1:
        raise ShapeError(f"the pattern's `{name}` is given the size {size}, and a size is at least 1")
    return size
