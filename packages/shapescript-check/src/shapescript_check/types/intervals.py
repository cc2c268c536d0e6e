"""Intervals of numbers, and arithmetic on them that covers what torch computes.

An interval holds every number a value may be, apart from NaN. An infinite end is open and also stands for
results that overflow, so `inf` itself counts as inside it. The ends are Python floats.

A computed end is rounded outward to f32, or to the operation's dtype if that is narrower, and an operand is
rounded outward to such a dtype first, as torch converts it. Whole numbers in an integer dtype are exact up
to 2^53. Openness is kept only where rounding cannot reach the end: `x + 1` of x in (0, 1] is [1, 2], because
1 + 1e-20 is 1 in any float dtype.
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterable
from typing import ClassVar

from shapescript_check.types.dtypes import DType
from shapescript_check.types.rounding import flushed, nearest_f32, outward, round_down, round_up

_WHOLE_F32 = 2.0**24
_WHOLE_F64 = 2.0**53


class Interval:
    """The numbers from `lo` to `hi`, each end included unless it is open. Immutable.

    Raises:
        ValueError: there is no number in it.
    """

    __slots__ = ("hi", "hi_open", "lo", "lo_open")

    REAL: ClassVar[Interval]
    NONNEG: ClassVar[Interval]
    NONPOS: ClassVar[Interval]
    POS: ClassVar[Interval]
    UNIT: ClassVar[Interval]
    SIGNED: ClassVar[Interval]
    ZERO: ClassVar[Interval]
    ONE: ClassVar[Interval]

    def __init__(self, lo: float, hi: float, lo_open: bool = False, hi_open: bool = False) -> None:
        self.lo = float(lo) + 0.0  # -0.0 becomes 0.0, so that equal intervals print alike
        self.hi = float(hi) + 0.0
        self.lo_open = lo_open or self.lo == -math.inf
        self.hi_open = hi_open or self.hi == math.inf
        if not (self.lo < self.hi or (self.lo == self.hi and not (self.lo_open or self.hi_open))):
            raise ValueError(f"there is no number from {lo} to {hi}")

    @staticmethod
    def point(number: float) -> Interval:
        """A number as written together with its nearest f32, which is what a tensor holds of it.

        Infinity, and an int beyond the floats, is what lies past the largest finite float.
        """
        largest = sys.float_info.max
        if number > largest or number < -largest:
            # An infinite end is open, so infinity is beyond the finite numbers.
            return Interval(largest, math.inf) if number > 0 else Interval(-math.inf, -largest)
        stored = nearest_f32(number)
        return Interval(min(number, stored), max(number, stored))

    @staticmethod
    def written(lo: float, hi: float, lo_open: bool = False, hi_open: bool = False) -> Interval:
        """The interval between two numbers in the source; each end covers the number and its nearest f32.

        Raises:
            ValueError: there is no number in it.
        """
        Interval(lo, hi, lo_open, hi_open)
        return Interval(min(lo, nearest_f32(lo)), max(hi, nearest_f32(hi)), lo_open, hi_open)

    @staticmethod
    def whole(lo: int, hi: int) -> Interval:
        """The whole numbers from `lo` to `hi`, exact up to 2^53 and rounded outward beyond."""
        return Interval(*outward(float(lo), float(hi), DType.I64))

    @staticmethod
    def nonpositive() -> Interval:
        """The numbers up to 0."""
        return Interval.NONPOS

    @property
    def is_point(self) -> bool:
        """Whether there is only one number in it."""
        return self.lo == self.hi

    def contains(self, other: Interval) -> bool:
        """Whether every number of `other` is in this interval."""
        return (self.lo < other.lo or (self.lo == other.lo and (other.lo_open or not self.lo_open))) and (
            self.hi > other.hi or (self.hi == other.hi and (other.hi_open or not self.hi_open))
        )

    def includes(self, number: float) -> bool:
        """Whether a number is in it; an infinity is if that end is infinite."""
        above = number > self.lo or (number == self.lo and (not self.lo_open or number == -math.inf))
        below = number < self.hi or (number == self.hi and (not self.hi_open or number == math.inf))
        return above and below

    def intersects(self, other: Interval) -> bool:
        """Whether some number is in both."""
        return self.meet(other) is not None

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        lo, lo_open = min((self.lo, self.lo_open), (other.lo, other.lo_open))
        hi = max(self.hi, other.hi)
        hi_open = not ((self.hi == hi and not self.hi_open) or (other.hi == hi and not other.hi_open))
        return Interval(lo, hi, lo_open, hi_open)

    def meet(self, other: Interval) -> Interval | None:
        """The numbers in both, or None where there are none."""
        lo, lo_open = max((self.lo, self.lo_open), (other.lo, other.lo_open))
        hi = min(self.hi, other.hi)
        hi_open = (self.hi == hi and self.hi_open) or (other.hi == hi and other.hi_open)
        if lo > hi or (lo == hi and (lo_open or hi_open)):
            return None
        return Interval(lo, hi, lo_open, hi_open)

    def widen(self, previous: Interval) -> Interval:
        """This interval with each end past the one of `previous` moved to infinity, so that loops settle."""
        lo = -math.inf if self.lo < previous.lo else self.lo
        hi = math.inf if self.hi > previous.hi else self.hi
        return Interval(lo, hi, self.lo_open, self.hi_open)

    def rounded_to(self, dtype: DType) -> Interval:
        """The values after a conversion to another dtype.

        A float dtype rounds the ends outward and closes them, since a value next to an open end may round to
        it. An integer dtype truncates toward 0; what it cannot hold may become anything it can.
        """
        if dtype.is_float:
            return Interval(round_down(self.lo, dtype), round_up(self.hi, dtype))
        if dtype.is_bool:
            return Interval(float(not self.includes(0.0)), float(self != Interval.ZERO))
        return computed(_whole(math.trunc, self.lo), _whole(math.trunc, self.hi), dtype)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Interval) and self._key() == other._key())

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[float, float, bool, bool]:
        return self.lo, self.hi, self.lo_open, self.hi_open

    def __str__(self) -> str:
        left = "(" if self.lo_open else "["
        right = ")" if self.hi_open else "]"
        return f"{left}{number_text(self.lo)}, {number_text(self.hi)}{right}"

    def __repr__(self) -> str:
        return f"<interval {self}>"

    def __reduce__(self) -> tuple[type[Interval], tuple[float, float, bool, bool]]:
        return Interval, self._key()


Interval.REAL = Interval(-math.inf, math.inf)
Interval.NONNEG = Interval(0.0, math.inf)
Interval.NONPOS = Interval(-math.inf, 0.0)
Interval.POS = Interval(0.0, math.inf, lo_open=True)
Interval.UNIT = Interval(0.0, 1.0)
Interval.SIGNED = Interval(-1.0, 1.0)
Interval.ZERO = Interval(0.0, 0.0)
Interval.ONE = Interval(1.0, 1.0)


def number_text(number: float) -> str:
    """A number in as few digits as tell it apart in its precision, which is f32 if it is one and else f64."""
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number.is_integer() and math.fabs(number) < 1e16:
        return str(int(number))
    text = repr(number)
    if nearest_f32(number) == number:
        for digits in range(1, 10):
            text = f"{number:.{digits}g}"
            if nearest_f32(float(text)) == number:
                break
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if exponent else mantissa


def operand(x: Interval, dtype: DType | None) -> Interval:
    """What a value becomes when an operation in `dtype` reads it: numbers and whole numbers may round.

    Ends that `dtype` can hold stay as open as they are, as for operands that have this dtype already. An
    operand of a wider float dtype must go through `Interval.rounded_to` first if its openness matters.
    """
    if dtype is DType.F16 or dtype is DType.BF16:
        lo, hi = round_down(x.lo, dtype), round_up(x.hi, dtype)
    elif dtype is None or dtype.is_float:
        # Whole numbers that f32 cannot hold. Smaller ends cover their nearest f32 already.
        lo = round_down(x.lo, DType.F32) if math.fabs(x.lo) > _WHOLE_F32 else x.lo
        hi = round_up(x.hi, DType.F32) if math.fabs(x.hi) > _WHOLE_F32 else x.hi
    else:
        return x
    # A device may read numbers too small for a normal f32 as 0.
    lo, hi = (flushed(lo) if lo > 0.0 else lo), (flushed(hi) if hi < 0.0 else hi)
    if lo == x.lo and hi == x.hi:
        return x
    return Interval(lo, hi, x.lo_open and lo == x.lo, x.hi_open and hi == x.hi)


def _negated(x: Interval) -> Interval:
    return Interval(-x.hi, -x.lo, x.hi_open, x.lo_open)


def _larger(x: Interval, y: Interval) -> Interval:
    # The result is above an end that either operand is above, and below one that both are below.
    lo, lo_open = max((x.lo, x.lo_open), (y.lo, y.lo_open))
    top = x.hull(y)
    return Interval(lo, top.hi, lo_open, top.hi_open)


def computed(
    lo: float, hi: float, dtype: DType | None = None, lo_open: bool = False, hi_open: bool = False
) -> Interval:
    """What an operation in `dtype` gives when its exact results are from `lo` to `hi`: ends round outward.

    An end that moves is closed, and an integer that overflows wraps around.
    """
    if lo == -math.inf and hi == math.inf and (dtype is None or dtype.is_float):
        return Interval.REAL
    low, high = outward(lo, hi, dtype)
    return _exactly(Interval(low, high, lo_open and low == lo, hi_open and high == hi), dtype)


def add(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """`x + y`."""
    x, y = operand(x, dtype), operand(y, dtype)
    # x > lo stays so when something of at least 0 is added: rounding is monotone, and x itself is exact.
    lo_open = (x.lo_open and y.lo == 0.0) or (y.lo_open and x.lo == 0.0)
    hi_open = (x.hi_open and y.hi == 0.0) or (y.hi_open and x.hi == 0.0)
    return computed(x.lo + y.lo, x.hi + y.hi, dtype, lo_open, hi_open)


def neg(x: Interval, dtype: DType | None = None) -> Interval:
    """`-x`."""
    return _exactly(_negated(x), dtype)


def sub(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """`x - y`."""
    return add(operand(x, dtype), _negated(operand(y, dtype)), dtype)


def mul(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """`x * y`."""
    x, y = operand(x, dtype), operand(y, dtype)
    corners = [_product(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    # A product of non-zero factors can underflow to 0, but not when one of them is at least 1 in magnitude.
    nonzero = not (_has_zero(x) or _has_zero(y)) and (_at_least_one(x) or _at_least_one(y))
    return _spanned(corners, nonzero, dtype)


def div(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """`x / y`; any number where `y` may be 0."""
    x, y = operand(x, dtype), operand(y, dtype)
    if _has_zero(y):
        return Interval.REAL
    corners: list[float] = []
    for x_end in (x.lo, x.hi):
        for y_end in (y.lo, y.hi):
            # An open end at 0 is approached from the side that y is on.
            inverse = 1.0 / y_end if y_end else math.copysign(math.inf, y.lo + y.hi)
            if y_end and not (math.isinf(x_end) and math.isinf(y_end)):
                corners.append(x_end / y_end)
            # CUDA divides by a number by multiplying with its rounded reciprocal.
            if dtype is not DType.F64:
                corners.append(nearest_f32(_product(x_end, nearest_f32(inverse))))
            if dtype is None or dtype is DType.F64:
                corners.append(_product(x_end, inverse))
    at_most_one = y.lo >= -1.0 and y.hi <= 1.0
    return _spanned(corners, at_most_one and not _has_zero(x), dtype)


def square(x: Interval, dtype: DType | None = None) -> Interval:
    """`x * x`."""
    magnitude = abs(operand(x, dtype))
    return computed(magnitude.lo * magnitude.lo, magnitude.hi * magnitude.hi, dtype)


def abs(x: Interval, dtype: DType | None = None) -> Interval:
    """`|x|`."""
    if x.lo >= 0.0:
        return x
    if x.hi <= 0.0:
        return _exactly(_negated(x), dtype)
    top = _larger(_negated(x), x)
    return _exactly(Interval(0.0, top.hi, hi_open=top.hi_open), dtype)


def relu(x: Interval, dtype: DType | None = None) -> Interval:
    """`max(x, 0)`."""
    return maximum(x, Interval.ZERO, dtype)


def sign(x: Interval, dtype: DType | None = None) -> Interval:
    """-1, 0 or 1."""
    x = _exactly(x, dtype)
    lo = -1.0 if x.lo < 0.0 else 1.0 if x.lo > 0.0 or x.lo_open else 0.0
    hi = 1.0 if x.hi > 0.0 else -1.0 if x.hi < 0.0 or x.hi_open else 0.0
    return Interval(lo, hi)


def maximum(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """The larger of two values."""
    return _exactly(_larger(operand(x, dtype), operand(y, dtype)), dtype)


def minimum(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """The smaller of two values."""
    x, y = operand(x, dtype), operand(y, dtype)
    return _exactly(_negated(_larger(_negated(x), _negated(y))), dtype)


def clamp(x: Interval, lo: Interval | None, hi: Interval | None, dtype: DType | None = None) -> Interval:
    """`min(max(x, lo), hi)`, where None is no bound."""
    if lo is not None:
        x = maximum(x, lo, dtype)
    return x if hi is None else minimum(x, hi, dtype)


def where(x: Interval, y: Interval, dtype: DType | None = None) -> Interval:
    """A value of either."""
    return _exactly(operand(x, dtype).hull(operand(y, dtype)), dtype)


def floor(x: Interval, dtype: DType | None = None) -> Interval:
    """The largest whole number that is at most `x`."""
    hi = x.hi - 1.0 if x.hi_open and _is_small_whole(x.hi) else _whole(math.floor, x.hi)
    return computed(_whole(math.floor, x.lo), hi, dtype)


def ceil(x: Interval, dtype: DType | None = None) -> Interval:
    """The smallest whole number that is at least `x`."""
    lo = x.lo + 1.0 if x.lo_open and _is_small_whole(x.lo) else _whole(math.ceil, x.lo)
    return computed(lo, _whole(math.ceil, x.hi), dtype)


def round(x: Interval, dtype: DType | None = None) -> Interval:
    """The nearest whole number, ties to the even one, as in torch."""
    return computed(_whole(_nearest_whole, x.lo), _whole(_nearest_whole, x.hi), dtype)


def _exactly(x: Interval, dtype: DType | None) -> Interval:
    """A computed interval whose ends need no rounding; an integer that overflows wraps around to anything.

    An infinite end of a wide integer says that nothing is known of its size, and stays: counters are taken
    not to overflow.
    """
    if dtype is None or dtype.is_float:
        return x
    least, most = dtype.int_range
    if x.lo >= least and x.hi <= most:
        return x
    if dtype.bits <= 16:
        return Interval(least, most)
    bounded_lo, bounded_hi = x.lo > -math.inf, x.hi < math.inf
    return Interval.REAL if (bounded_lo and x.lo < least) or (bounded_hi and x.hi > most) else x


def _spanned(corners: Iterable[float], nonzero: bool, dtype: DType | None) -> Interval:
    corners = list(corners)
    lo, hi = min(corners), max(corners)
    return computed(lo, hi, dtype, nonzero and lo == 0.0, nonzero and hi == 0.0)


def _product(a: float, b: float) -> float:
    # An infinite end is not a value: it stands for large ones, and 0 times those is 0.
    return a * b if a and b else 0.0


def _has_zero(x: Interval) -> bool:
    return x.includes(0.0)


def _at_least_one(x: Interval) -> bool:
    return x.lo >= 1.0 or x.hi <= -1.0


def _is_small_whole(end: float) -> bool:
    return -_WHOLE_F64 <= end <= _WHOLE_F64 and end.is_integer()


def _whole(rule: Callable[[float], int], end: float) -> float:
    return end if math.isinf(end) else float(rule(end))


def _nearest_whole(number: float) -> int:
    return builtins.round(number)
