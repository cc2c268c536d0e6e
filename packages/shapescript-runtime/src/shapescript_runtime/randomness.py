"""Operations that a mode tells what to do."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .kinds import kind_of, refuse_kind
from .modes import A_MODE, Mode, Seeded, Train


def dropout(x: torch.Tensor, p: float, mode: Mode) -> torch.Tensor:
    """Returns x with each value zeroed with probability p and the others divided by 1 - p (Srivastava et al., 2014).

    With Eval and Sample it is x itself. The mask is drawn as f32 whatever x's dtype, on x's device, by a generator of
    its own.

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
    generator = mode.generator(x.device)
    if x.is_cpu:
        drawn = _drawn_on_the_cpu(x.shape, 1 - p, generator)
        # Dividing integers gives torch's default dtype, at once.
        return drawn.div(1 - p) if x.dtype is torch.get_default_dtype() else drawn.to(x.dtype).div_(1 - p)
    drawn = torch.empty(x.shape, dtype=torch.float32, device=x.device).bernoulli_(1 - p, generator=generator)
    return (drawn if x.dtype is torch.float32 else drawn.to(x.dtype)).div_(1 - p)


def _drawn_on_the_cpu(shape: torch.Size, kept: float, generator: torch.Generator) -> torch.Tensor:
    """Returns 1 by chance and 0 otherwise, as i32, from 32 bits for each value.

    torch's `bernoulli_` draws a double for each on the CPU, which takes longer than a small layer's matmul.
    """
    count = shape.numel()
    words = torch.empty((count + 1) // 2, dtype=torch.int64).random_(-(2**63), None, generator=generator)
    bits = words.view(torch.int32)[:count].view(shape)
    # The largest of the numbers that mean 1, of those from -2^31 on.
    last = max(round(kept * 2**32), 1) - 1 - 2**31
    return bits.le_(last)


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

    With Train by the mean and the biased variance of x itself, and with Eval and Sample by the running ones. It draws
    nothing, and changes none of its arguments.

    Arguments:
        over: the position of the axis of the channels.

    Raises:
        ValueError: the mode isn't Train, and running_mean or running_var isn't given; or it is Train, and a channel has
            one value only, as in torch.
        KindError: `mode` isn't a mode.
    """
    training = isinstance(mode, Train)
    if not training:
        _require_mode(mode, "batch_norm")
        if running_mean is None or running_var is None:
            missing = "running_mean" if running_mean is None else "running_var"
            raise ValueError(
                f"batch_norm needs its {missing} with Eval and Sample, which don't take statistics of the batch"
            )
    means, variances = (None, None) if training else (running_mean, running_var)
    if x.dim() == 1:
        return F.batch_norm(x.unsqueeze(0), means, variances, weight, bias, training, 0.0, eps).squeeze(0)
    if over in (1, 1 - x.dim()):
        return F.batch_norm(x, means, variances, weight, bias, training, 0.0, eps)
    moved = x.movedim(over, 1)
    return F.batch_norm(moved, means, variances, weight, bias, training, 0.0, eps).movedim(1, over)


def draw_normal(
    shape: tuple[int, ...],
    mode: Mode,
    device: torch.device,
    mean: float = 0.0,
    std: float = 1.0,
    salt: int | torch.Tensor = 0,
) -> torch.Tensor:
    """Returns f32 numbers drawn from a normal distribution, as torch.Tensor.normal_ draws them.

    Arguments:
        shape: how many.
        mode: where they come from. With Eval nothing is drawn.
        device: where they are drawn. Each kind of device draws others.
        mean, std: of the distribution.
        salt: which of the draws that the mode has here; 0 is the one without a salt. A tensor's is read when it runs,
            which waits for its device.

    Raises:
        ValueError: the mode is Eval, or `std` is negative.
        KindError: `mode` isn't a mode.
    """
    if not std >= 0:
        raise ValueError(f"normal takes a std of at least 0, not {std}")
    generator = _drawing(mode, "normal").generator(device, _salt(salt))
    return torch.empty(shape, dtype=torch.float32, device=device).normal_(mean, std, generator=generator)


def draw_uniform(
    shape: tuple[int, ...],
    mode: Mode,
    device: torch.device,
    low: float = 0.0,
    high: float = 1.0,
    salt: int | torch.Tensor = 0,
) -> torch.Tensor:
    """Returns f32 numbers drawn evenly from `low` to `high`, as torch.Tensor.uniform_ draws them.

    The arguments are those of `draw_normal`, but for the ends.

    Raises:
        ValueError: the mode is Eval, or `low` is above `high`.
        KindError: `mode` isn't a mode.
    """
    if not low <= high:
        raise ValueError(f"uniform takes a low of at most its high, not {low} and {high}")
    generator = _drawing(mode, "uniform").generator(device, _salt(salt))
    return torch.empty(shape, dtype=torch.float32, device=device).uniform_(low, high, generator=generator)


def _drawing(mode: Mode, function: str) -> Seeded:
    """The mode as one that draws."""
    if isinstance(mode, Seeded):
        return mode
    _require_mode(mode, function)
    raise ValueError(f"{function} draws nothing with Eval; to draw without training, pass Sample(seed=...)")


def _salt(salt: int | torch.Tensor) -> int:
    return int(salt.item()) if isinstance(salt, torch.Tensor) else salt


def _require_mode(mode: object, function: str) -> None:
    if not isinstance(mode, Mode):
        refuse_kind(kind_of(mode), A_MODE, None, "mode", function)
