"""What is drawn at random: numbers that are decided by a mode, a shape, a device and what they are drawn from.

torch.compile takes a draw for one operation. It can't trace how a generator is seeded, and says so in a warning.
"""

from __future__ import annotations

from typing import Any

import torch

from .modes import Seeded
from .seeds import seeded

KEPT = "kept"
"""1 by chance `a`, and 0 otherwise, in a dtype of the device's."""
NORMAL = "normal"
"""f32 from a normal distribution of mean `a` and standard deviation `b`."""
UNIFORM = "uniform"
"""f32 evenly from `a` to `b`."""

_LEAST, _MOST = -(2**63), 2**63 - 1  # what torch.compile takes for an int


def draw(
    kind: str,
    shape: torch.Size | tuple[int, ...],
    device: torch.device,
    mode: Seeded,
    salt: int,
    a: float,
    b: float = 0.0,
) -> torch.Tensor:
    """Returns what is drawn at a mode's path."""
    path = mode.salted(salt)
    if torch.compiler.is_compiling() and not torch.compiler.is_exporting() and _LEAST <= mode.seed <= _MOST:
        return _DRAW(kind, shape, device, mode.seed, path, a, b)
    return _run(kind, shape, device, mode.seed, path, a, b)


def _run(
    kind: str, shape: Any, device: torch.device, seed: int, path: str, a: float, b: float
) -> torch.Tensor:
    generator = seeded(seed, path, device)
    if kind == KEPT:
        if device.type == "cpu":
            return _kept_on_the_cpu(torch.Size(shape), a, generator)
        return torch.empty(shape, dtype=torch.float32, device=device).bernoulli_(a, generator=generator)
    numbers = torch.empty(shape, dtype=torch.float32, device=device)
    if kind == NORMAL:
        return numbers.normal_(a, b, generator=generator)
    return numbers.uniform_(a, b, generator=generator)


def _kept_on_the_cpu(shape: torch.Size, kept: float, generator: torch.Generator) -> torch.Tensor:
    """Returns 1 by chance and 0 otherwise, as i32, from 32 bits for each value.

    torch's `bernoulli_` draws a double for each on the CPU, which takes longer than a small layer's matmul.
    """
    count = shape.numel()
    words = torch.empty((count + 1) // 2, dtype=torch.int64).random_(-(2**63), None, generator=generator)
    bits = words.view(torch.int32)[:count].view(shape)
    # The largest of the numbers that mean 1, of those from -2^31 on.
    last = max(round(kept * 2**32), 1) - 1 - 2**31
    return bits.le_(last)


def _like(kind: str, shape: Any, device: torch.device, *_: Any) -> torch.Tensor:
    dtype = torch.int32 if kind == KEPT and device.type == "cpu" else torch.float32
    return torch.empty(shape, dtype=dtype, device=device)


def _operation() -> Any:
    operation = torch.library.custom_op(
        "shapescript::draw",
        _run,
        mutates_args=(),
        schema="(str kind, SymInt[] shape, Device device, SymInt seed, str path, float a, float b) -> Tensor",
    )
    operation.register_fake(_like)
    return operation


_DRAW = _operation()
