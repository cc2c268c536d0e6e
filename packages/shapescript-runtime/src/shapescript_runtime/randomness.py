"""Operations that a mode tells what to do."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .kinds import kind_of, refuse_kind
from .modes import Mode, Train


def dropout(x: torch.Tensor, p: float, mode: Mode) -> torch.Tensor:
    """Returns x with each value zeroed with probability p and the others divided by 1 - p (Srivastava et al., 2014).

    With Eval it is x itself. The mask is drawn as f32 whatever x's dtype, on x's device, by a generator of its own.

    Raises:
        ValueError: p isn't at least 0 and less than 1.
        KindError: `mode` isn't a mode.
    """
    if not 0 <= p < 1:
        raise ValueError(f"dropout takes a probability of at least 0 and less than 1, not {p}")
    if isinstance(mode, Train):
        return x * _kept(x, p, mode)
    _require_mode(mode, "dropout")
    return x


def _kept(x: torch.Tensor, p: float, mode: Train) -> torch.Tensor:
    """What to multiply x by: 1 / (1 - p), or 0."""
    drawn = torch.empty(x.shape, dtype=torch.float32, device=x.device)
    drawn.bernoulli_(1 - p, generator=mode.generator(x.device))
    return drawn.to(x.dtype).div_(1 - p)


def batch_norm(
    x: torch.Tensor,
    mode: Mode,
    over: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    running_mean: torch.Tensor | None = None,
    running_var: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Returns x normalized over every axis but one, as torch does (BatchNorm1d; Ioffe and Szegedy, 2015).

    With Train by the mean and the biased variance of x itself, and with Eval by the running ones. It draws nothing,
    and changes none of its arguments.

    Arguments:
        over: the position of the axis of the channels.

    Raises:
        ValueError: the mode is Eval, and running_mean or running_var isn't given; or it is Train, and a channel has
            one value only, as in torch.
        KindError: `mode` isn't a mode.
    """
    training = isinstance(mode, Train)
    if not training:
        _require_mode(mode, "batch_norm")
        if running_mean is None or running_var is None:
            missing = "running_mean" if running_mean is None else "running_var"
            raise ValueError(
                f"batch_norm needs its {missing} with Eval, which doesn't take statistics of the batch"
            )
    means, variances = (None, None) if training else (running_mean, running_var)
    if over in (1, 1 - x.dim()):
        return F.batch_norm(x, means, variances, weight, bias, training, 0.0, eps)
    if x.dim() == 1:
        return F.batch_norm(x.unsqueeze(0), means, variances, weight, bias, training, 0.0, eps).squeeze(0)
    moved = x.movedim(over, 1)
    return F.batch_norm(moved, means, variances, weight, bias, training, 0.0, eps).movedim(1, over)


def _require_mode(mode: object, function: str) -> None:
    if not isinstance(mode, Mode):
        refuse_kind(kind_of(mode), "a mode, Train(seed=...) or Eval", None, "mode", function)
