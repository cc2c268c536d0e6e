"""Random values that fit a type: the ends of its range and what lies beside them, zeros of both signs, subnormal and
large numbers, infinities where the range is open towards them."""

from __future__ import annotations

import math
import random
from typing import Any

import torch

import shapescript_runtime
from shapescript_check.declarations.interfaces import AnyNumber, FnInterface, ParameterType
from shapescript_check.sizes import Symbol
from shapescript_check.types.domains import Discrete, IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import ModeType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType
from tests.property.holding import Sizes

MILD, ENDS, WILD = "mild", "ends", "wild"
"""How values are drawn: small ones inside a range; its ends and special values; any size, infinities too."""

_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-3, -7.0, 1e-30, -1e-30, 1e-39, -1e-39, 123456.789)
_LARGE = (3e38, -3e38, 6e4, -6e4, 1e20, -1e20, 1e4)
_WIDE = 1000
"""Wide integers are drawn no further from 0 than this, so that arithmetic on them doesn't overflow."""


def sizes_of(interface: FnInterface, rng: random.Random, largest: int = 4) -> dict[Symbol, int]:
    """Sizes for a function's generic axes, 1 among them. They tend to differ, so that axes aren't mixed up."""
    choices = list(range(2, largest + 2))
    rng.shuffle(choices)
    return {
        symbol: 1 if rng.random() < 0.15 else choices[i % len(choices)]
        for i, symbol in enumerate(interface.generics)
    }


def arguments(
    interface: FnInterface, sizes: dict[Symbol, int], rng: random.Random, mode: str
) -> list[Any] | None:
    """A value for each parameter of a function; None where no value of a type has those sizes."""
    known = Sizes()
    known.known.update(sizes)
    drawn = [value_of(p.type, known, rng, mode) for p in interface.parameters]
    return None if any(v is None for v in drawn) else drawn


def value_of(kind: ParameterType, sizes: Sizes, rng: random.Random, mode: str) -> Any:
    """A value of a parameter's type."""
    if isinstance(kind, TensorType):
        if kind.axes is None:
            shape: tuple[int, ...] = tuple(rng.sample((1, 2, 3), rng.randint(0, 2)))
        else:
            found = [sizes.value(a.size) for a in kind.axes]
            if any(s is None or s < 0 for s in found):
                return None
            shape = tuple(s for s in found if s is not None)
        return tensor(kind, shape, sizes, rng, mode)
    if isinstance(kind, AnyNumber | HostType):
        interval = kind.interval if isinstance(kind, HostType) else Interval.REAL
        if kind.kind == "bool":
            return rng.random() < 0.5
        drawn = _numbers(interval, torch.float64, 1, rng, MILD)[0]
        return int(drawn) if kind.kind == "int" else drawn
    return shapescript_runtime.Train(seed=rng.randrange(100)) if isinstance(kind, ModeType) else None


def tensor(kind: TensorType, shape: tuple[int, ...], sizes: Sizes, rng: random.Random, mode: str) -> Any:
    """A tensor of a type and shape; None where there is none, as of indices below 0."""
    dtype = getattr(torch, (kind.dtype or DType.F32).torch_name)
    count = math.prod(shape)
    domain = kind.domain
    if isinstance(domain, Discrete):
        low = -math.inf if domain.kind == "Additive" else 1.0
        drawn: list[Any] = [rng.choice((0.0, low)) for _ in range(count)]
    elif isinstance(domain, IndexOf):
        size = sizes.value(domain.size)
        if size is None or (size < 1 and count):
            return None
        top = min(size - 1, (kind.dtype or DType.I64).int_range[1])
        drawn = [rng.choice((0, top, rng.randint(0, top))) for _ in range(count)]
    elif isinstance(domain, Semantic) and domain.kind != "Logit":
        return _distribution(domain, shape, dtype, rng)
    elif not dtype.is_floating_point:
        drawn = _integers(domain.interval, kind.dtype or DType.I64, count, rng, mode)
    else:
        drawn = _numbers(domain.interval, dtype, count, rng, mode)
    if not drawn and count:
        return None
    return torch.tensor(drawn, dtype=dtype).reshape(shape)


def _distribution(
    domain: Semantic, shape: tuple[int, ...], dtype: torch.dtype, rng: random.Random
) -> torch.Tensor | None:
    if shape[domain.over] == 0:
        return None
    drawn = [rng.choice((0.0, 1.0, rng.random())) for _ in range(math.prod(shape))]
    weights = torch.tensor(drawn, dtype=torch.float64).reshape(shape)
    totals = weights.sum(domain.over, keepdim=True)
    first = torch.zeros_like(weights).index_fill(domain.over, torch.tensor(0), 1.0)
    probabilities = torch.where(totals > 0, weights / totals, first)
    return (probabilities.log() if domain.kind == "LogProb" else probabilities).to(dtype)


def _integers(interval: Interval, dtype: DType, count: int, rng: random.Random, mode: str) -> list[int]:
    least, most = dtype.int_range
    if dtype.bits > 16:
        least, most = -_WIDE, _WIDE
    least = max(least, math.ceil(interval.lo) if interval.lo > -math.inf else least)
    most = min(most, math.floor(interval.hi) if interval.hi < math.inf else most)
    if least > most:
        return []
    near = [v for v in range(-5, 8) if least <= v <= most] or [least, most]
    pool = near if mode == MILD else [*near, least, most, rng.randint(least, most)]
    return [rng.choice(pool) for _ in range(count)]


def _numbers(
    interval: Interval, dtype: torch.dtype, count: int, rng: random.Random, mode: str
) -> list[float]:
    """Numbers in an interval. Its ends, too, are taken as the dtype stores them: to the nearest."""
    interval = _nearest(interval, dtype)
    lo, hi = max(interval.lo, -4.0), min(interval.hi, 4.0)
    if lo > hi:
        lo, hi = interval.lo, interval.hi
    pool = [rng.uniform(lo, hi) if lo < hi else lo for _ in range(6)]
    pool += [v for v in (0.0, 1.0, -1.0, 0.5, 2.0) if rng.random() < 0.3]
    if mode != MILD:
        ends = [e for e in (interval.lo, interval.hi) if math.isfinite(e)]
        pool += [*ends, *ends, *_SPECIAL]
        pool += [float(torch.nextafter(torch.tensor(e), torch.tensor(sum(ends) / len(ends)))) for e in ends]
    if mode == WILD:
        pool += [*_LARGE, math.inf, -math.inf]
    stored = torch.tensor(pool, dtype=torch.float64).to(dtype).tolist()
    allowed = [v for v in stored if interval.includes(v) and (mode == WILD or math.isfinite(v))]
    return [rng.choice(allowed) for _ in range(count)] if allowed else []


def _nearest(interval: Interval, dtype: torch.dtype) -> Interval:
    lo, hi = torch.tensor([interval.lo, interval.hi], dtype=torch.float64).to(dtype).tolist()
    lo_open, hi_open = interval.lo_open, interval.hi_open
    if lo == -math.inf != interval.lo:
        lo, lo_open = torch.finfo(dtype).min, False
    if hi == math.inf != interval.hi:
        hi, hi_open = torch.finfo(dtype).max, False
    if dtype is torch.float64 or lo > hi or (lo == hi and not math.isfinite(lo)):
        return interval
    return Interval(lo, hi, lo_open, hi_open)


__all__ = ["ENDS", "MILD", "WILD", "Range", "arguments", "sizes_of", "tensor", "value_of"]
