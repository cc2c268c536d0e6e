"""Rounding numbers outward to what a dtype can hold, so that a range covers what torch computes in it."""

from __future__ import annotations

import math
import struct

from shapescript_check.types.dtypes import DType

_F32 = struct.Struct("f")
_LEAST_NORMAL_F32 = 2.0**-126
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
    try:
        stored: float = _F32.unpack(_F32.pack(number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return stored


def outward(low: float, high: float, dtype: DType | None) -> tuple[float, float]:
    """The ends of a result computed in `dtype`, rounded outward.

    They round to f32 for None and the wider floats. Those of an integer dtype are exact up to 2^53. An end
    too small for a normal f32 becomes 0 where that is outward, because a device may flush such values.
    """
    if dtype is not None and not dtype.is_float:
        return _outward_whole(low, high)
    held = dtype if dtype is DType.F16 or dtype is DType.BF16 else DType.F32
    # What overflows is infinite or, in a wider dtype, just large: no end is infinite on the wrong side.
    low = min(round_down(low, held), held.finfo_max)
    high = max(round_up(high, held), -held.finfo_max)
    return (flushed(low) if low > 0.0 else low), (flushed(high) if high < 0.0 else high)


def flushed(number: float) -> float:
    """A number, or 0 for one too small for a normal f32, as a device may read and write it."""
    return number if number >= _LEAST_NORMAL_F32 or number <= -_LEAST_NORMAL_F32 else 0.0


def _outward_whole(low: float, high: float) -> tuple[float, float]:
    if abs(low) > _EXACT_WHOLE:
        low = math.nextafter(low, -math.inf)
    if abs(high) > _EXACT_WHOLE:
        high = math.nextafter(high, math.inf)
    return low, high
