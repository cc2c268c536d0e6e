"""Seeds of what is drawn at random: each draw has a generator of its own, so no draw depends on another."""

from __future__ import annotations

import hashlib
import operator
from typing import Any

import torch


def seeded(seed: int, path: str, device: torch.device | str = "cpu") -> torch.Generator:
    """Returns a generator for one draw, seeded with the first 8 bytes of the SHA-256 of "{seed}/{path}".

    Arguments:
        seed: the seed that the program chose.
        path: what is drawn: a field's name, or the calls that lead to the draw.
        device: where the numbers are drawn. Each kind of device gives others for the same seed.
    """
    digest = hashlib.sha256(f"{seed}/{path}".encode()).digest()
    return torch.Generator(device).manual_seed(int.from_bytes(digest[:8], "big"))


def whole_seed(seed: Any, what: str) -> int:
    """Returns a seed as an int, NumPy's integers included.

    Raises TypeError for anything else, bools included.
    """
    if type(seed) is int:
        return seed
    if not isinstance(seed, bool):
        try:
            return operator.index(seed)
        except TypeError:
            pass
    raise TypeError(f"the seed of {what} is an int, not {_article(type(seed).__name__)}")


def _article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
