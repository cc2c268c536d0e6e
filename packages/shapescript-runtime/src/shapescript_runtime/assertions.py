"""What `as` with a shape or a host type compiles to: a claim about a value, checked where it is made."""

from __future__ import annotations

from typing import Any

import torch

from .errors import ShapeError
from .wording import axis_texts, got, with_dims


def check_shape(
    value: Any,
    expected: tuple[int | str | None, ...],
    text: str,
    where: str,
    dims: tuple[tuple[str, int], ...] = (),
) -> torch.Tensor:
    """Checks that a value is a tensor of a shape, and returns it.

    Arguments:
        value: anything.
        expected: for each axis its size, or None for any size, or a name such as "?k" for an unknown size,
            which is the same wherever that name stands.
        text: the type as written, such as "[196 D]".
        where: "file.ss:line:col" of the assertion.
        dims: the dims of the file, by name and size. The message gives the sizes of those that `text` names.

    Raises ShapeError if it isn't one.
    """
    if isinstance(value, torch.Tensor):
        # One comparison is all that a shape without unknown sizes takes.
        if value.shape == expected:
            return value
        problem = _shape_problem(value, expected, text)
        if problem is None:
            return value
        problem = f": {problem}"
    else:
        problem = ""
    told, what = with_dims(text, dims), got(value)
    raise ShapeError(
        f"the value asserted with `as` should be {told}, got {what}{problem}",
        location=where,
        expected=told,
        got=what,
    )


def _shape_problem(value: torch.Tensor, expected: tuple[int | str | None, ...], text: str) -> str | None:
    count = value.dim()
    if count != len(expected):
        return f"{count} {'axis' if count == 1 else 'axes'}, not {len(expected)}"
    unknown: dict[str, tuple[int, int]] = {}
    for position, (size, wanted) in enumerate(zip(value.shape, expected, strict=True), 1):
        if wanted is None:
            continue
        if isinstance(wanted, str):
            known, first = unknown.setdefault(wanted, (size, position))
            if size != known:
                return f"axis {position} is {size}, but {wanted} is {known}, from axis {first}"
        elif size != wanted:
            name = axis_texts(text, count)[position - 1]
            named = f"{name} = {wanted}" if name and name != str(wanted) else str(wanted)
            return f"axis {position} is {size}, not {named}"
    return None


def check_host(value: Any, kind: str, where: str) -> Any:
    """Checks that a Python value is a host scalar of a kind, and returns it.

    A bool is neither an int nor a float, though Python's is a subclass of int. An int is taken for a float,
    as it is wherever ShapeScript expects a float.

    Arguments:
        value: anything.
        kind: "int", "float" or "bool".
        where: "file.ss:line:col" of the assertion.

    Raises ShapeError if it isn't one.
    """
    if kind == "bool":
        fits = isinstance(value, bool)
    elif kind == "int":
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    if fits:
        return value
    what = _host_got(value)
    expected = f"{'an' if kind == 'int' else 'a'} {kind}"
    raise ShapeError(
        f"the value asserted with `as` should be {expected}, got {what}",
        location=where,
        expected=expected,
        got=what,
    )


def _host_got(value: Any) -> str:
    kind = type(value)
    if isinstance(value, torch.Tensor):
        hint = "; read its number with .item()" if value.numel() == 1 else ""
        return f"a tensor of shape {tuple(value.shape)}{hint}"
    if value is None:
        return "None"
    if kind.__module__.partition(".")[0] == "numpy":
        hint = "; read its number with .item()" if getattr(value, "size", 0) == 1 else ""
        return f"a NumPy {kind.__name__}{hint}"
    if isinstance(value, (bool, int, float)):
        return f"the {kind.__name__} {value!r}"
    return f"a value of type {kind.__name__}"
