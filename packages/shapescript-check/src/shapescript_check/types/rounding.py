"""Rounding numbers outward to what a dtype can hold, so that a range covers what torch computes in it."""

from __future__ import annotations

import math

from shapescript_check.types.dtypes import DType

_EXACT_WHOLE = 2.0**53


def round_down(number: float, dtype: DType) -> float:
    """The largest value of a float dtype that is at most `number`; -inf below its finite values."""
    if number == 0.0 or math.isinf(number):
        return number
    exponent = max(math.frexp(number)[1] - dtype.precision, dtype.least_exponent)
    rounded = math.ldexp(math.floor(math.ldexp(number, -exponent)), exponent) if dtype.bits < 64 else number
    if rounded > dtype.finfo_max:
        return dtype.finfo_max
    return rounded if rounded >= -dtype.finfo_max else -math.inf


def round_up(number: float, dtype: DType) -> float:
    """The smallest value of a float dtype that is at least `number`; inf above its finite values."""
    return -round_down(-number, dtype)


def round_down_f32(number: float) -> float:
    """The largest f32 that is at most `number`."""
    return round_down(number, DType.F32)


def round_up_f32(number: float) -> float:
    """The smallest f32 that is at least `number`."""
    return -round_down(-number, DType.F32)


def nearest_f32(number: float) -> float:
    """The f32 that torch stores for a number: the nearest, ties to even, infinite when it is too large."""
    below = round_down_f32(number)
    above = round_up_f32(number)
    if below == above:
        return below
    largest = DType.F32.finfo_max
    if math.isinf(above) or math.isinf(below):
        # Half a step past the largest finite number is where rounding starts to give infinity.
        return math.copysign(math.inf if abs(number) >= largest + 2.0**103 else largest, number)
    if number - below != above - number:
        return below if number - below < above - number else above
    step = above - below
    return below if math.fmod(below / step, 2.0) == 0.0 else above


def outward(low: float, high: float, dtype: DType | None) -> tuple[float, float]:
    """The ends of a result computed in `dtype`: f32 if it is None or wider, whole numbers if it has no floats.

    A whole number is exact up to 2^53. Ends too small for a normal f32 become 0, because a device may flush them.
    """
    if dtype is not None and not dtype.is_float:
        return _outward_whole(low, high)
    held = dtype if dtype is DType.F16 or dtype is DType.BF16 else DType.F32
    low, high = round_down(low, held), round_up(high, held)
    if 0.0 < low < 2.0**-126:
        low = 0.0
    if -(2.0**-126) < high < 0.0:
        high = 0.0
    return low, high


def _outward_whole(low: float, high: float) -> tuple[float, float]:
    if abs(low) > _EXACT_WHOLE:
        low = math.nextafter(low, -math.inf)
    if abs(high) > _EXACT_WHOLE:
        high = math.nextafter(high, math.inf)
    return low, high
