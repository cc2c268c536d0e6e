"""What Python can't say in a function's own signature: parameters named with its keywords, required parameters after
optional ones, and numbers where a tensor is meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import torch

from .errors import ShapeError


class Missing:
    """Stands for an argument that isn't given, where Python wants a default."""

    def __repr__(self) -> str:
        return "<no default>"


MISSING: Any = Missing()
"""Of any type: it is the default of parameters of every type."""


def refuse_missing(function: str, parameter: str) -> None:
    """Raises the TypeError that Python raises for a call without a required argument."""
    raise TypeError(f"{function}() missing 1 required argument: '{parameter}'")


def refuse_untold(function: str, size: str, where: str) -> None:
    """Raises the ShapeError for a call that doesn't give a size which no shape of its arguments tells."""
    raise ShapeError(
        f"`{function}` needs the size `{size}`, which the shapes of its arguments don't tell: give it by name, as in "
        f"{function}(..., {size}=8)",
        location=where,
    )


def renamed(function: Callable[..., Any], names: Mapping[str, str]) -> Callable[..., Any]:
    """Returns `function` taking keyword arguments under names that Python keeps for itself.

    `names` gives, for such a name, the one that the parameter has: f(**{"lambda": 2.0}) is f(lambda_=2.0).
    """

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **{names.get(name, name): value for name, value in named.items()})

    return called


def as_tensor(value: Any, dtype: torch.dtype, device: torch.device) -> Any:
    """Returns a number as a [] tensor on the declared device, and a tensor as it is."""
    if isinstance(value, torch.Tensor):
        return value
    return torch.as_tensor(value, dtype=dtype, device=device)


def spread(value: Any, *others: Any) -> Any:
    """Returns a tensor broadcast to the shape that it and some others have together; numbers have none."""
    if not isinstance(value, torch.Tensor):
        return value
    shapes = [other.shape for other in others if isinstance(other, torch.Tensor)]
    return value.expand(torch.broadcast_shapes(value.shape, *shapes))
