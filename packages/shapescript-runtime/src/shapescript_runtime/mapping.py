"""Functions of each element along an axis: torch.vmap, of no elements too.

Some of torch's rules for batches look at the first element: a [] beside a tensor with axes (`row / sum(row)`) does, to
find out what dtype comes of both, and where there is none it is an IndexError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

Function = Callable[..., torch.Tensor]


def vmap(function: Function, in_dims: int | tuple[int, ...] = 0) -> Function:
    """Returns the function that gives `function` of each element, along the first axis of its result.

    Arguments:
        function: from an element of each operand to a tensor.
        in_dims: the axis that is gone along, of every operand or of each.
    """
    mapped = torch.vmap(function, in_dims=in_dims)

    def of_all(*operands: torch.Tensor) -> torch.Tensor:
        axes = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(operands)
        if torch.compiler.is_compiling() or operands[0].shape[axes[0]]:
            return mapped(*operands)
        return _of_none(mapped, operands, axes)

    return of_all


def _of_none(mapped: Function, operands: tuple[torch.Tensor, ...], axes: tuple[int, ...]) -> torch.Tensor:
    """What a function of no elements gives: nothing, of the shape and dtype that it would have."""
    try:
        with _WithAxes():
            return mapped(*operands)
    except (IndexError, RuntimeError) as error:
        # Of one element, then, and without it.
        one = [_one(x, axis) for x, axis in zip(operands, axes, strict=True)]
        try:
            return mapped(*one).narrow(0, 0, 0)
        except Exception:
            raise error from None


def _one(x: torch.Tensor, axis: int) -> torch.Tensor:
    return x.new_zeros([1 if i == axis else size for i, size in enumerate(x.shape)])


class _WithAxes(TorchFunctionMode):
    """Where torch looks for the first of no elements, gives each [] an axis of size 1, in the dtype of the result."""

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        try:
            return func(*args, **(kwargs or {}))
        except IndexError:
            result = func(*_with_axes(args), **(kwargs or {}))
            # An axis too many where every operand was a [].
            return result.reshape(
                torch.broadcast_shapes(*(x.shape for x in args if isinstance(x, torch.Tensor)))
            )


def _with_axes(operands: tuple[Any, ...]) -> list[Any]:
    numbers = [x for x in operands if isinstance(x, torch.Tensor) and x.dtype is not torch.bool]
    plain = [torch.empty((0,) * x.dim(), dtype=x.dtype) for x in numbers]
    dtype = torch.result_type(plain[0], plain[-1]) if plain else torch.bool
    return [_with_axis(x, dtype) if isinstance(x, torch.Tensor) else x for x in operands]


def _with_axis(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    stored = x if x.dtype is torch.bool else x.to(dtype)
    return stored.reshape(1) if x.dim() == 0 else stored
