"""Tensor routines that generated code calls where no single torch call does what the language says."""

from __future__ import annotations

import torch

from .errors import ShapeError
from .reading import has_values, wrapped


def causal(n: int, m: int, device: torch.device) -> torch.Tensor:
    """Returns the [n m] mask that is true where the m index is at most the n index."""
    return torch.ones(n, m, dtype=torch.bool, device=device).tril()


def to_additive(mask: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Returns what to add to scores to mask them: 0 where the mask is true, and -inf where it is false."""
    return torch.zeros_like(mask, dtype=dtype).masked_fill(~mask, float("-inf"))


def one_hot_binary(index: torch.Tensor, size: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Returns index with a new last axis, 1 at each index and 0 elsewhere, in a dtype that arithmetic takes.

    torch.nn.functional.one_hot makes the same in i64, eight bytes an element, that a cast would copy.

    Raises RuntimeError, as torch does, for an index outside the size.
    """
    zeros = torch.zeros(*index.shape, size, dtype=dtype, device=index.device)
    return zeros.scatter(-1, index.to(torch.int64).unsqueeze(-1), 1)


def as_float(x: torch.Tensor) -> torch.Tensor:
    """Returns x, integers as f32: for functions of torch that take only floats, where the dtype is the caller's."""
    return x if x.is_floating_point() else x.to(torch.float32)


def topk_total_order(x: torch.Tensor, k: int, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the k largest values along an axis, and their positions as i64, largest first.

    NaN is above infinity, -0.0 equals 0.0, and equal values are in the order of their positions, so that the
    positions are the same on every device. torch.topk leaves the choice among equal values open.

    Raises ShapeError if the axis has fewer than k elements, or k is negative.
    """
    size = x.shape[dim]
    if not 0 <= k <= size:
        raise ShapeError(f"topk takes 0 to {size} values of an axis of size {size}, not {k}")
    positions = _plain_topk(x, k, dim)
    if positions is None:
        order = torch.sort(_comparable(x), dim=dim, descending=True, stable=True)[1]
        positions = order.narrow(dim, 0, k)
    # Taken by position, so that the gradient reaches x, and the values are x's own, zeros' signs included.
    return x.gather(dim, positions), positions


def sort_total_order(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns the values along an axis in ascending order: stable, -0.0 equal to 0.0, and NaN last."""
    if x.is_cpu or not x.is_floating_point():
        return torch.sort(x, dim=dim, stable=True)[0]
    return x.gather(dim, argsort_total_order(x, dim))


def argsort_total_order(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns the positions, as i64, that put the values along an axis in the order of sort_total_order."""
    return torch.sort(_comparable(x), dim=dim, stable=True)[1]


def index_mask(x: torch.Tensor, mask: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns the elements of x where a mask is true, in row-major order, as one axis at the position dim.

    The mask's axes are those of x from dim on, by position.

    Raises IndexError, as torch does, if their sizes differ.
    """
    return x[(slice(None),) * dim + (mask,)]


def _plain_topk(x: torch.Tensor, k: int, dim: int) -> torch.Tensor | None:
    """The positions of the k largest by torch.topk, where that is quicker than sorting and leaves no choice.

    Sorting an axis of 50,000 to take 50 of it takes thirty times as long on the CPU. What torch.topk leaves
    open is which of the values equal to the last one it takes, and the order of equal ones. If the next
    value is less, it took them all, and the order is made good by sorting k of them.
    """
    if not (x.is_cpu and x.is_floating_point() and 0 < k * 4 <= x.shape[dim] >= 256):
        return None
    if torch.compiler.is_compiling() or wrapped(x) or not has_values(x):
        return None
    plain = x.detach()
    top, positions = torch.topk(plain, k + 1, dim)
    # Also false where the last one is NaN, of which there may be more.
    if not (top.narrow(dim, k - 1, 1) > top.narrow(dim, k, 1)).all():
        return None
    positions = positions.narrow(dim, 0, k).sort(dim)[0]
    order = torch.sort(plain.gather(dim, positions), dim=dim, descending=True, stable=True)[1]
    return positions.gather(dim, order)


def _comparable(x: torch.Tensor) -> torch.Tensor:
    """x with one NaN and one zero: a GPU sorts long axes by their bits, and would tell their signs apart."""
    x = x.detach()
    if x.is_cpu or not x.is_floating_point():
        return x
    return x.masked_fill(x == 0, 0.0).masked_fill(x.isnan(), float("nan"))
