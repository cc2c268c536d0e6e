"""What the ranges of functions' and reductions' results are, and where functions stop being defined.

Every transfer takes the operands' intervals and `dtype=`, what the operation computes in, and covers what
torch computes. torch's functions are off by some units in the last place, differently on each device and for
each way of vectorizing, so computed ends get slack, except at anchors: the points where torch's results are
exact and on either side of which they stay, such as exp(0) = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

from shapescript_check.types import intervals
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval, computed
from shapescript_check.types.rounding import nearest_f32

Transfer = Callable[..., Interval]

_ULP = 2.0**-23
# CUDA's documentation gives at most 2 units for these functions and 4 for pow, and Metal's 5 and 16; torch's
# compositions of two or three of them add theirs. The most is what Triton's exp makes, which is 2 to the power
# of a product that is rounded first: about 56 units at exp(-88), which a compiled sigmoid is made from.
_SLACK = 64 * _ULP
# Some kernels go by way of 1 + x or of exp(2x) and cancel, and are off by units of 1 however small the result:
# log1p and softplus on Apple's GPUs, tanh on Arm's processors with SVE, log near 1 where a GPU approximates it.
_CANCELLED = 8 * _ULP
# A long mean rounds at every addition, and adds in f32 even what is narrower. Its sum is infinite where the
# number of elements times the largest overflows, and no tensor has 2^48.
_MEAN_SLACK = 2.0**-16
_MEAN_LIMIT = DType.F32.finfo_max / 2.0**48
# Just below the minima, which are -0.16997 and -0.27847, and f32 so that they need no rounding.
_GELU_LEAST = nearest_f32(-0.17)
_SILU_LEAST = nearest_f32(-0.2785)


class Edge(Enum):
    """How a range lies to the edge of where a function is defined."""

    NONE = "none"
    """Inside, or nothing is known."""
    TOUCHES = "W0501"
    """It reaches the edge itself."""
    OUTSIDE = "E0506"
    """It reaches past the edge, or is wholly outside."""


def edge(name: str, x: Interval) -> Edge:
    """How the range of a function's argument lies to the function's edge.

    Args:
        name: `log`, `log1p`, `rsqrt`, `sqrt`, `acos`, `asin`, or `div` for a divisor; others have no edge.
        x: the range of the argument.
    """
    if name == "div":
        if x == Interval.ZERO:
            return Edge.OUTSIDE
        return Edge.TOUCHES if x.includes(0.0) and x != Interval.REAL else Edge.NONE
    if name in ("acos", "asin"):
        return Edge.NONE if x.intersects(Interval.SIGNED) else Edge.OUTSIDE
    limit = _LOWER_LIMITS.get(name)
    if limit is None:
        return Edge.NONE
    at, defined_at = limit
    if not x.intersects(Interval(at, math.inf, lo_open=not defined_at)):
        return Edge.OUTSIDE
    if x.lo == -math.inf:
        return Edge.NONE
    if x.lo < at:
        return Edge.OUTSIDE
    return Edge.TOUCHES if x.includes(at) and not defined_at else Edge.NONE


# Each function's lower end of where it is defined, and whether it is defined there.
_LOWER_LIMITS = {"log": (0.0, False), "log1p": (-1.0, False), "rsqrt": (0.0, False), "sqrt": (0.0, True)}


def _increasing(
    name: str, compute: Callable[[float], float], *anchors: tuple[float, float], cancelled: float = 0.0
) -> Transfer:
    """The transfer of an increasing function from its value at the ends.

    `cancelled` is slack that doesn't shrink with the value.
    """

    def transfer(x: Interval, dtype: DType | None = None) -> Interval:
        if not _is_defined(name, x):
            return Interval.REAL
        x = intervals.operand(x, dtype)
        slack = _slack(dtype)
        lo = _slackened(compute(x.lo), -slack) - cancelled
        hi = _slackened(compute(x.hi), slack) + cancelled
        for at, value in anchors:
            if x.lo >= at:
                lo = max(lo, value)
            if x.hi <= at:
                hi = min(hi, value)
        return computed(lo, hi, dtype)

    return transfer


def _is_defined(name: str, x: Interval) -> bool:
    limit = _LOWER_LIMITS.get(name)
    return limit is None or Interval(limit[0], math.inf, lo_open=not limit[1]).contains(x)


def _slack(dtype: DType | None) -> float:
    # Off the vectorized path, torch rounds each step of a composed function to a 16-bit dtype.
    return _SLACK if dtype is None or dtype.bits > 16 else 2.0 ** (2 - dtype.precision)


def _slackened(end: float, slack: float) -> float:
    return end if math.isinf(end) else end + math.fabs(end) * slack


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def _log1p(x: float) -> float:
    return math.log1p(x) if x > -1.0 else -math.inf


def _sigmoid(x: float) -> float:
    smaller = _exp(-math.fabs(x))
    return (1.0 if x >= 0.0 else smaller) / (1.0 + smaller)


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(_exp(-math.fabs(x)))


def _log_sigmoid(x: float) -> float:
    return -_softplus(-x)


def rsqrt(x: Interval, dtype: DType | None = None) -> Interval:
    """`1 / sqrt(x)`, as torch.rsqrt."""
    if not _is_defined("rsqrt", x):
        return Interval.REAL
    x = intervals.operand(x, dtype)
    lo = _slackened(1.0 / math.sqrt(x.hi), -_slack(dtype))
    hi = _slackened(1.0 / math.sqrt(x.lo), _slack(dtype)) if x.lo else math.inf
    lo = max(lo, 1.0) if x.hi <= 1.0 else lo
    hi = min(hi, 1.0) if x.lo >= 1.0 else hi
    return computed(lo, hi, dtype)


def _always(lo: float, hi: float) -> Transfer:
    """The transfer of a function whose results are in one interval, whatever its operands."""

    def transfer(*_operands: Interval, dtype: DType | None = None) -> Interval:
        return computed(lo, hi, dtype)

    return transfer


def erf(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.erf, by the sign of `x`."""
    return computed(-1.0 if x.lo < 0.0 else 0.0, 1.0 if x.hi > 0.0 else 0.0, dtype)


def gelu(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.nn.functional.gelu, by the sign of `x` and its minimum.

    oneDNN's kernels, which torch takes on some processors for what isn't f64, double `x` in f32 before they
    halve it, so what is above half the largest f32 may become infinite there.
    """
    dipping = _dipping(x, _GELU_LEAST, dtype)
    if x.hi > DType.F32.finfo_max / 2 and dtype is not DType.F64:
        return Interval(dipping.lo, math.inf)
    return dipping


def silu(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.nn.functional.silu, by the sign of `x` and its minimum."""
    return _dipping(x, _SILU_LEAST, dtype)


def _dipping(x: Interval, least: float, dtype: DType | None) -> Interval:
    """`x * s(x)` with s from 0 to 1 and 1/2 at 0: between x and 0, and never below `least`."""
    return computed(min(max(x.lo, least), 0.0), max(x.hi, 0.0), dtype)


def _signed(x: Interval, *_parameters: Interval, dtype: DType | None = None) -> Interval:
    """leaky_relu and elu, which keep what is at least 0 and shrink the rest by a parameter of any sign."""
    return computed(0.0 if x.lo >= 0.0 else -math.inf, math.inf, dtype)


def pow(x: Interval, exponent: Interval, dtype: DType | None = None) -> Interval:
    """torch.pow, for the exponents 1 and 2 or a base of at least 0; any number otherwise."""
    x, exponent = intervals.operand(x, dtype), intervals.operand(exponent, dtype)
    if exponent == Interval.ONE:
        return x
    if exponent == _TWO:
        return intervals.square(x, dtype)
    if x.lo < 0.0 or (exponent.lo < 0.0 and x.includes(0.0)):
        # -0.0 to a negative odd power is -inf.
        return Interval.REAL
    # Monotone in the base for a fixed exponent and the other way round, so the extremes are at corners.
    corners = [_power(base, by) for base in (x.lo, x.hi) for by in (exponent.lo, exponent.hi)]
    lo, hi = min(corners), max(corners)
    if dtype is None or dtype.is_float:
        slack = _slack(dtype)
        lo, hi = _slackened(lo, -slack), _slackened(hi, slack)
    elif math.isinf(hi):
        return Interval.REAL  # a power of two counts needn't be one that the dtype holds, and wraps around
    at_least_one = (x.lo >= 1.0 and exponent.lo >= 0.0) or (x.hi <= 1.0 and exponent.hi <= 0.0)
    at_most_one = (x.hi <= 1.0 and exponent.lo >= 0.0) or (x.lo >= 1.0 and exponent.hi <= 0.0)
    return computed(max(lo, 1.0) if at_least_one else lo, min(hi, 1.0) if at_most_one else hi, dtype)


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):  # too large, or an open 0 to a negative power
        return math.inf


_TWO = Interval(2.0, 2.0)


def total(x: Interval, dtype: DType | None = None, *, empty: bool = False) -> Interval:
    """torch.sum: only the sign is kept.

    Args:
        x: the range of the elements.
        dtype: the result's dtype.
        empty: whether there may be no elements, which sum up to 0.
    """
    if x == Interval.ZERO:
        return x
    return computed(
        -math.inf if x.lo < 0.0 else 0.0,
        math.inf if x.hi > 0.0 else 0.0,
        dtype,
        # Rounding is monotone, so a sum of numbers above 0 is at least the largest of them.
        lo_open=x.lo >= 0.0 and not x.includes(0.0) and not empty,
        hi_open=x.hi <= 0.0 and not x.includes(0.0) and not empty,
    )


def cumsum(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.cumsum: the sign of each partial sum, which has an element at least."""
    return total(x, dtype)


def product(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.prod and torch.cumprod: only the sign is kept, and products of small numbers underflow to 0."""
    return computed(0.0 if x.lo >= 0.0 else -math.inf, math.inf, dtype)


def mean(x: Interval, dtype: DType | None = None) -> Interval:
    """torch.mean: ends of -1, 0 and 1 stay, and others widen slightly, as rounding adds up in a long mean."""
    lo = _slackened(x.lo, -_MEAN_SLACK) if x.lo >= -_MEAN_LIMIT else -math.inf
    hi = _slackened(x.hi, _MEAN_SLACK) if x.hi <= _MEAN_LIMIT else math.inf
    for kept in (-1.0, 0.0, 1.0):
        if x.lo >= kept:
            lo = max(lo, kept)
        if x.hi <= kept:
            hi = min(hi, kept)
    return computed(lo, hi, dtype)


def extreme(x: Interval, dtype: DType | None = None) -> Interval:  # has x's dtype
    """torch.amax and torch.amin: one of the elements."""
    return x


def spread(x: Interval, dtype: DType | None = None) -> Interval:  # the bound holds for any
    """torch.std, torch.var and the 2-norm: at least 0."""
    return Interval.NONNEG


def logsumexp(x: Interval, dtype: DType | None = None, *, empty: bool = False) -> Interval:
    """torch.logsumexp: at least the largest element, or -inf where there is none, which `empty` allows."""
    return computed(-math.inf if empty else x.lo, math.inf, dtype)


FUNCTIONS: dict[str, Transfer] = {
    "abs": intervals.abs,
    "acos": _always(0.0, math.pi),
    "add": intervals.add,
    "asin": _always(-math.pi / 2, math.pi / 2),
    "atan2": _always(-math.pi, math.pi),
    "ceil": intervals.ceil,
    "clamp": intervals.clamp,
    "cos": _always(-1.0, 1.0),
    "cumprod": product,
    "cumsum": cumsum,
    "div": intervals.div,
    "elu": _signed,
    "erf": erf,
    "exp": _increasing("exp", _exp, (-math.inf, 0.0), (0.0, 1.0)),
    "expm1": _increasing("expm1", _expm1, (-math.inf, -1.0), (0.0, 0.0)),
    "floor": intervals.floor,
    "gelu": gelu,
    "leaky_relu": _signed,
    "log": _increasing("log", _log, (1.0, 0.0), cancelled=_CANCELLED),
    "log1p": _increasing("log1p", _log1p, (0.0, 0.0), cancelled=_CANCELLED),
    "log_sigmoid": _increasing("log_sigmoid", _log_sigmoid, (math.inf, 0.0), cancelled=_CANCELLED),
    "logsumexp": logsumexp,
    "max": extreme,
    "maximum": intervals.maximum,
    "mean": mean,
    "min": extreme,
    "minimum": intervals.minimum,
    "mul": intervals.mul,
    "neg": intervals.neg,
    "norm": spread,
    "pow": pow,
    "prod": product,
    "relu": intervals.relu,
    "round": intervals.round,
    "rsqrt": rsqrt,
    "sigmoid": _increasing("sigmoid", _sigmoid, (-math.inf, 0.0), (0.0, 0.5), (math.inf, 1.0)),
    "sign": intervals.sign,
    "silu": silu,
    "sin": _always(-1.0, 1.0),
    "softplus": _increasing("softplus", _softplus, (-math.inf, 0.0), cancelled=_CANCELLED),
    "sqrt": _increasing("sqrt", math.sqrt, (0.0, 0.0), (1.0, 1.0)),
    "square": intervals.square,
    "std": spread,
    "sub": intervals.sub,
    "sum": total,
    "tanh": _increasing(
        "tanh", math.tanh, (-math.inf, -1.0), (0.0, 0.0), (math.inf, 1.0), cancelled=_CANCELLED
    ),
    "var": spread,
    "where": intervals.where,
}
"""The transfer of each operation whose range is known, by its name in the source."""

MATH_OF_PYTHON: dict[str, str] = {
    **{
        f"torch.{name}": name
        for name in ("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf")
    },
    "torch.nn.functional.gelu": "gelu",
    "torch.nn.functional.silu": "silu",
    "torch.nn.functional.softplus": "softplus",
    "torch.nn.functional.logsigmoid": "log_sigmoid",
}
"""The operation that a Python function computes, for the functions whose mathematics the checker knows."""
