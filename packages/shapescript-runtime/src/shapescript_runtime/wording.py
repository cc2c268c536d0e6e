"""The phrases that the messages of checks are made of. Nothing here runs until a check has failed."""

from __future__ import annotations

import re
from typing import Any

import torch


def got(value: Any) -> str:
    """Says what a value is that should have been a tensor of some shape: "shape (2, 5)", or "a value of
    type list…".
    """
    if isinstance(value, torch.Tensor):
        return f"shape {tuple(value.shape)}"
    if value is None:
        return "None, which isn't a tensor"
    kind = type(value)
    # Compared by name: the value's library is loaded if the value exists, and need not be if it doesn't.
    if kind.__module__.partition(".")[0] == "numpy":
        if kind.__name__ == "ndarray":
            return (
                f"a NumPy array of shape {tuple(value.shape)}, which isn't a tensor: "
                "make one of it with torch.from_numpy"
            )
        return f"a NumPy {kind.__name__}, which isn't a tensor: make one of it with torch.tensor"
    if isinstance(value, (bool, int, float)):
        return f"the {kind.__name__} {value!r}, which isn't a tensor: make one of it with torch.tensor"
    return f"a value of type {kind.__name__}, which isn't a tensor"


def with_dims(text: str, dims: tuple[tuple[str, int], ...]) -> str:
    """Adds what its dims are to a type: "[b n D]" becomes "[b n D] with D = 768"."""
    named = mentioned(text, dims)
    return f"{text} with {', '.join(f'{name} = {size}' for name, size in named)}" if named else text


def mentioned(text: str, dims: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """The dims that a type or an axis names, in the order of their first appearance."""
    if not dims:
        return ()
    sizes = dict(dims)
    # A grouped size, 16gh, is a number and a name; a dim of an imported file has a dot in its name.
    names = dict.fromkeys(re.findall(r"[^\W\d][\w.]*", text))
    return tuple((name, sizes[name]) for name in names if name in sizes)


def axis_texts(text: str, count: int) -> list[str]:
    """Cuts the shape at the start of a type into its axes, or gives empty texts where that isn't plain to
    do.
    """
    axes = []
    depth = 0
    word = ""
    for sign in text.partition("[")[2]:
        if sign in " ]" and depth == 0:
            axes += [word] if word else []
            word = ""
            if sign == "]":
                break
            continue
        depth += (sign == "(") - (sign == ")")
        word += sign
    return axes if len(axes) == count else [""] * count


def place(position: list[int]) -> str:
    """Where an element is: " at [3, 2]", or nothing for the only element of a tensor without axes."""
    return f" at {position}" if position else ""


def number(value: float, dtype: torch.dtype) -> str:
    """A number in the fewest digits that are the same number in its dtype: 0.1, not 0.10000000149011612."""
    if not isinstance(value, float):
        return str(value)
    for digits in range(1, 17):
        short = float(f"{value:.{digits}g}")
        if torch.tensor(short, dtype=dtype).item() == value:
            return repr(short)
    return repr(value)
