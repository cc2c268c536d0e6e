"""What a model's fields hold at first."""

from __future__ import annotations

from typing import NamedTuple

import torch

from .seeds import seeded


class Initializer(NamedTuple):
    """How a field gets its first value: the name of an initializer, and its arguments."""

    name: str
    arguments: tuple[float, ...] = ()

    def fill(self, shape: tuple[int, ...], dtype: torch.dtype, seed: int, field: str) -> torch.Tensor:
        """Makes a tensor on the CPU.

        Numbers are drawn there and as f32, or f64 for an f64 field, whatever the field's dtype and wherever it goes,
        so that a seed means the same field everywhere.
        """
        if self.name in ("zeros", "ones"):
            return torch.full(shape, int(self.name == "ones"), dtype=dtype, device="cpu")
        if self.name == "full":
            return torch.full(shape, self.arguments[0], dtype=dtype, device="cpu")
        drawn = torch.empty(
            shape, dtype=torch.float64 if dtype == torch.float64 else torch.float32, device="cpu"
        )
        first, second = self.arguments
        if self.name == "normal":
            drawn.normal_(first, second, generator=seeded(seed, field))
        else:
            drawn.uniform_(first, second, generator=seeded(seed, field))
        return drawn.to(dtype)


def zeros() -> Initializer:
    """Every value 0."""
    return Initializer("zeros")


def ones() -> Initializer:
    """Every value 1."""
    return Initializer("ones")


def full(value: float) -> Initializer:
    """Every value the one given."""
    return Initializer("full", (value,))


def normal(mean: float = 0.0, std: float = 1.0) -> Initializer:
    """Values of a normal distribution."""
    return Initializer("normal", (mean, std))


def uniform(lo: float = 0.0, hi: float = 1.0) -> Initializer:
    """Values of a uniform distribution, from lo up to hi."""
    return Initializer("uniform", (lo, hi))
