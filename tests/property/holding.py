"""Whether a value is what its type says: shape, dtype, and what its domain promises."""

from __future__ import annotations

import math
from typing import Any

import torch

import shapescript_runtime
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.types.domains import Discrete, IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import ModelType, ScheduleType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.rounding import round_down, round_up
from shapescript_check.types.values import HostType, PythonType, TensorType, ValueType

_KINDS: dict[str, type | tuple[type, ...]] = {"int": int, "float": float, "bool": bool}


VALUES_WRONG = ("it has the value", "it has values", "along axis")
"""How a problem with values, and not with shape or dtype, begins."""


class Sizes:
    """What the size symbols of one call of a function are found to be."""

    def __init__(self) -> None:
        self.known: dict[Symbol, int] = {}

    def forget(self, symbols: frozenset[Symbol]) -> None:
        """Drops what is known of symbols that are about to stand for something new."""
        for symbol in symbols:
            self.known.pop(symbol, None)

    def value(self, size: Size) -> int | None:
        """A size as a number; None where a symbol of it isn't known yet."""
        constant, unknown = self._substitute(size)
        return None if unknown else constant

    def agree(self, size: Size, actual: int) -> bool:
        """Whether a size may be a number, given what is known; a symbol that this decides is known from then on."""
        constant, unknown = self._substitute(size)
        if not unknown:
            return constant == actual
        (names, coefficient), *more = unknown.items()
        if more or len(names) > 1:
            return True
        quotient, rest = divmod(actual - constant, coefficient)
        if rest or quotient < min(names[0].lower, 1):
            return False
        self.known[names[0]] = quotient
        return True

    def _substitute(self, size: Size) -> tuple[int, dict[tuple[Symbol, ...], int]]:
        constant = 0
        unknown: dict[tuple[Symbol, ...], int] = {}
        for monomial, coefficient in size.terms:
            rest = []
            for symbol in monomial:
                known = symbol.value if symbol.kind is SymbolKind.DIM else self.known.get(symbol)
                if known is None:
                    rest.append(symbol)
                else:
                    coefficient *= known
            if rest:
                unknown[tuple(rest)] = unknown.get(tuple(rest), 0) + coefficient
            else:
                constant += coefficient
        return constant, {names: c for names, c in unknown.items() if c}


def problem(kind: ValueType, value: Any, sizes: Sizes) -> str | None:
    """Why a value isn't of a type, or None where it is. Sizes that the value decides become known."""
    if isinstance(kind, TensorType):
        return _tensor_problem(kind, value, sizes)
    if isinstance(kind, HostType):
        return _host_problem(kind, value, sizes)
    if isinstance(kind, ScheduleType):
        return None if isinstance(value, shapescript_runtime.Schedule) else "it isn't a schedule"
    # What the fields of a model hold is checked where the model is made; a value of Python's may be anything.
    assert isinstance(kind, ModelType | PythonType), kind
    return None


def _host_problem(kind: HostType, value: Any, sizes: Sizes) -> str | None:
    if not isinstance(value, _KINDS[kind.kind]) or (kind.kind != "bool" and isinstance(value, bool)):
        return f"it is {value!r}, not a host {kind.kind}"
    if kind.kind != "bool" and value == value and not kind.interval.includes(value):
        return f"it is {value!r}, outside {kind.interval}"
    if kind.size is not None:
        expected = sizes.value(kind.size)
        if expected is not None and expected != value:
            return f"it is {value!r}, and the checker takes it to be {kind.size} = {expected}"
    return None


def _tensor_problem(kind: TensorType, value: Any, sizes: Sizes) -> str | None:
    if not isinstance(value, torch.Tensor):
        return f"it is {value!r}, not a tensor"
    if kind.dtype is not None and value.dtype is not getattr(torch, kind.dtype.torch_name):
        return f"it is stored as {value.dtype}, not as {kind.dtype}"
    if kind.axes is not None:
        if value.dim() != len(kind.axes):
            return f"its shape is {tuple(value.shape)}, and it should have {len(kind.axes)} axes"
        for i, axis in enumerate(kind.axes):
            if not sizes.agree(axis.size, value.shape[i]):
                return f"its shape is {tuple(value.shape)}, and axis {i + 1} should be {axis.size}"
            for part in axis.parts:
                known = sizes.value(part.size)
                if known is not None and known and value.shape[i] % known:
                    return f"its axis {i + 1} is {value.shape[i]}, which part {part} doesn't divide"
    return _values_problem(kind, value, sizes)


def _values_problem(kind: TensorType, value: torch.Tensor, sizes: Sizes) -> str | None:
    domain = kind.domain
    if isinstance(domain, Discrete):
        return _discrete_problem(domain.kind, value)
    if value.numel() == 0:
        return None
    if isinstance(domain, IndexOf):
        if value.is_floating_point() or value.dtype is torch.bool:
            return f"it is stored as {value.dtype}, and indices are integers"
        least, most = int(value.min()), int(value.max())
        size = sizes.value(domain.size)
        if least < 0 or (size is not None and most >= size):
            return f"it has values from {least} to {most}, which aren't indices below {domain.size} = {size}"
        return None
    if isinstance(domain, Range):
        return _range_problem(domain.interval, value)
    assert isinstance(domain, Semantic)
    return _range_problem(domain.interval, value) or _sum_problem(domain, value)


def _discrete_problem(kind: str, value: torch.Tensor) -> str | None:
    if (kind == "Mask") != (value.dtype is torch.bool):
        return f"it is stored as {value.dtype}, which a {kind} isn't"
    allowed = {"Mask": {0.0, 1.0}, "Binary": {0.0, 1.0}, "Additive": {0.0, -math.inf}}[kind]
    others = [v for v in value.flatten().tolist() if v not in allowed]
    return f"it has the value {others[0]!r}, which is no {kind} value" if others else None


def _range_problem(interval: Interval, value: torch.Tensor) -> str | None:
    if interval == Interval.REAL:
        return None
    values = [v for v in value.flatten().tolist() if v == v]  # NaN isn't tracked
    interval = as_stored(interval, value.dtype)
    for number in (min(values), max(values)) if values else ():
        if not interval.includes(number):
            return f"it has the value {number!r}, outside {interval}"
    return None


def as_stored(interval: Interval, dtype: torch.dtype) -> Interval:
    """An interval whose ends are rounded outward to what a dtype can hold: an end stands for the number that a
    tensor of that dtype has for it."""
    narrow = {torch.float16: DType.F16, torch.bfloat16: DType.BF16, torch.float32: DType.F32}.get(dtype)
    if narrow is None:
        return interval
    lo, hi = round_down(interval.lo, narrow), round_up(interval.hi, narrow)
    return Interval(lo, hi, interval.lo_open and lo == interval.lo, interval.hi_open and hi == interval.hi)


def _sum_problem(domain: Semantic, value: torch.Tensor) -> str | None:
    if domain.kind == "Logit" or value.shape[domain.over] == 0:
        return None
    wide = value.double()
    totals = (wide.exp() if domain.kind == "LogProb" else wide).sum(domain.over).flatten()
    tolerance = math.sqrt(torch.finfo(value.dtype).eps)
    wrong = [t for t in totals.tolist() if t == t and abs(t - 1.0) > tolerance]
    return f"along axis {domain.over + 1} it sums to {wrong[0]!r}, not to 1" if wrong else None
