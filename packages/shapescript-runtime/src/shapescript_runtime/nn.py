"""Functions behind stubs that every program sees, where no function of torch has the stub's parameters.

`over` is the position of the axis to work along.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F


def layer_norm(
    x: torch.Tensor,
    over: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Returns x with mean 0 and variance 1 along one axis, times weight plus bias: torch's layer_norm, which
    takes the last axis only, with its precision in 16-bit dtypes."""
    if _is_last(x, over):
        return F.layer_norm(x, x.shape[-1:], weight, bias, eps)
    moved = x.movedim(over, -1)
    return F.layer_norm(moved, moved.shape[-1:], weight, bias, eps).movedim(-1, over)


def rms_norm(
    x: torch.Tensor, over: int, weight: torch.Tensor | None = None, eps: float | None = None
) -> torch.Tensor:
    """Returns x with a root mean square of 1 along one axis, times weight: torch's rms_norm, which takes the
    last axis only."""
    if _is_last(x, over):
        return F.rms_norm(x, x.shape[-1:], weight, eps)
    moved = x.movedim(over, -1)
    return F.rms_norm(moved, moved.shape[-1:], weight, eps).movedim(-1, over)


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    is_causal: bool = False,
) -> torch.Tensor:
    """Returns torch's scaled_dot_product_attention, without its dropout, whose randomness has no seed of ours.

    Raises RuntimeError, as torch does, for a mask together with is_causal.
    """
    return F.scaled_dot_product_attention(query, key, value, attn_mask=attn_mask, is_causal=is_causal)


def interpolate(input: torch.Tensor, scale_factor: int) -> torch.Tensor:
    """Returns an image with each pixel repeated in both directions, as torch's interpolate does by default."""
    return F.interpolate(input, scale_factor=scale_factor)


def normalize(x: torch.Tensor, over: int, eps: float = 1e-12) -> torch.Tensor:
    """Returns each vector along one axis divided by its 2-norm, or by eps where that is larger."""
    return F.normalize(x, dim=over, eps=eps)


def cummax(x: torch.Tensor, over: int) -> torch.Tensor:
    """Returns the largest value up to each position, without the positions that torch.cummax gives too."""
    return torch.cummax(x, dim=over).values


def cummin(x: torch.Tensor, over: int) -> torch.Tensor:
    """Returns the smallest value up to each position, without the positions that torch.cummin gives too."""
    return torch.cummin(x, dim=over).values


def logcumsumexp(x: torch.Tensor, over: int) -> torch.Tensor:
    """Returns the logarithm of the sum of exponentials up to each position: torch.logcumsumexp."""
    return torch.logcumsumexp(x, dim=over)


def logaddexp(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Returns log(exp(x) + exp(y)): torch.logaddexp, whose parameters are named otherwise."""
    return torch.logaddexp(x, y)


def _is_last(x: torch.Tensor, over: int) -> bool:
    return over in (-1, x.dim() - 1)
