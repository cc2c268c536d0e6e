"""Learning rates that change from step to step."""

from __future__ import annotations

import math
import operator
from typing import Any

from .kinds import kind_of, refuse_kind


class Schedule:
    """A learning rate for each step. Called with a step, counted from 0, it gives a float.

    It has no state: how many steps were made is the optimizer's to know.
    """

    __slots__ = ()

    def __call__(self, step: int) -> float:
        raise NotImplementedError

    def _ss_start(self) -> float:
        """The learning rate that a first warm-up rises to."""
        return self(0)


class Cosine(Schedule):
    """See `cosine`."""

    __slots__ = ("end", "peak", "steps")

    def __init__(self, peak: float, steps: int, end: float = 0.0) -> None:
        self.peak = peak
        self.steps = steps
        self.end = end

    def __call__(self, step: int) -> float:
        turned = math.cos(math.pi * min(step, self.steps) / self.steps)
        return self.end + (self.peak - self.end) * (1 + turned) / 2

    def __repr__(self) -> str:
        return f"cosine(peak={self.peak!r}, steps={self.steps!r}, end={self.end!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cosine) and described(self) == described(other)

    def __hash__(self) -> int:
        return hash((self.peak, self.steps, self.end))


class Warmup(Schedule):
    """See `warmup`."""

    __slots__ = ("steps", "then")

    def __init__(self, steps: int, then: float | Schedule) -> None:
        self.steps = steps
        self.then = then

    def __call__(self, step: int) -> float:
        if step < self.steps:
            return rate(self.then, 0) * step / self.steps
        return rate(self.then, step - self.steps)

    def _ss_start(self) -> float:
        return self.then._ss_start() if isinstance(self.then, Schedule) else self.then

    def __repr__(self) -> str:
        return f"warmup(steps={self.steps!r}, then={self.then!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Warmup) and described(self) == described(other)

    def __hash__(self) -> int:
        return hash((self.steps, self.then))


def cosine(peak: float, steps: int, end: float = 0.0) -> Cosine:
    """A learning rate that falls from `peak` to `end` in half a cosine wave of so many steps, and stays there.

    Up to `steps` it is torch.optim.lr_scheduler.CosineAnnealingLR (Loshchilov and Hutter, 2017), which rises again
    after.

    Raises:
        TypeError: an argument isn't a number of its kind.
        ValueError: steps is less than 1.
    """
    whole = _whole(steps, "cosine")
    if whole < 1:
        raise ValueError(f"cosine takes at least 1 step, not {whole}")
    return Cosine(_real(peak, "the peak of cosine"), whole, _real(end, "the end of cosine"))


def warmup(steps: int, then: float | Schedule) -> Warmup:
    """A learning rate that rises from 0 in a straight line to where `then` starts, and is `then` from there.

    Raises:
        TypeError: steps isn't an int, or `then` neither a number nor a schedule.
        ValueError: steps is negative.
    """
    whole = _whole(steps, "warmup")
    if whole < 0:
        raise ValueError(f"warmup takes at least 0 steps, not {whole}")
    return Warmup(whole, learning_rate(then, "what follows warmup"))


def learning_rate(value: Any, what: str) -> float | Schedule:
    """Returns a schedule, or a number as a float.

    Raises TypeError for anything else.
    """
    if isinstance(value, Schedule):
        return value
    return _real(value, what, "a number or a schedule")


def rate(value: float | Schedule, step: int) -> float:
    """The learning rate that a number or a schedule gives for a step."""
    return value(step) if isinstance(value, Schedule) else value


def described(value: float | Schedule) -> float | dict[str, Any]:
    """A learning rate as plain data, which a checkpoint can hold.

    Raises TypeError for a schedule that isn't made of `cosine` and `warmup`.
    """
    if not isinstance(value, Schedule):
        return value
    if isinstance(value, Cosine):
        return {"schedule": "cosine", "peak": value.peak, "steps": value.steps, "end": value.end}
    if isinstance(value, Warmup):
        return {"schedule": "warmup", "steps": value.steps, "then": described(value.then)}
    raise TypeError(
        f"a schedule of the class {type(value).__name__} can't be saved: only cosine and warmup can"
    )


def undescribed(data: Any, depth: int = 0) -> float | Schedule:
    """The learning rate that `described` made plain data of.

    Raises ValueError for data that it didn't make.
    """
    if isinstance(data, (int, float)) and not isinstance(data, bool):
        return float(data)
    kind = data.get("schedule") if isinstance(data, dict) else None
    try:
        if kind == "cosine":
            return cosine(data["peak"], data["steps"], data["end"])
        if kind == "warmup" and depth < 100:
            return warmup(data["steps"], undescribed(data["then"], depth + 1))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no schedule is described by {data!r}") from error
    raise ValueError(f"no learning rate is described by {data!r}")


def check_schedule(value: Any, where: str, argument: str | None = None, function: str | None = None) -> None:
    """Checks that an argument is a schedule or a number, which is a constant learning rate.

    Raises KindError, which is a TypeError, if it is neither.
    """
    if not isinstance(value, (Schedule, int, float)) or isinstance(value, bool):
        refuse_kind(kind_of(value), "a schedule or a number", where, argument, function)


def _whole(value: Any, function: str) -> int:
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{function} takes an int for its steps, not {kind_of(value)}")


def _real(value: Any, what: str, expected: str = "a number") -> float:
    # NumPy's floats are Python's by now, or have __float__; so do tensors, which aren't host numbers.
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if type(value).__module__.partition(".")[0] == "numpy" and getattr(value, "ndim", 1) == 0:
        return float(value)
    raise TypeError(f"{what} is {expected}, not {kind_of(value)}")
