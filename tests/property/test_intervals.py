"""What torch computes from values in the operands' ranges lies in the range the checker gives the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.intervals import Interval

F = torch.nn.functional
FLOATS = [DTYPES[name] for name in ("f32", "f64", "bf16", "f16")]
INTS = [DTYPES[name] for name in ("u8", "i8", "i16", "i32", "i64")]

NOTABLE = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, 255.0, 49.0, 88.73, -88.8, -104.0, 20.0, 1e-45, -1e-45, 1e-39]
NOTABLE += [2.0**-126, 65504.0, 65520.0, 3.4028234663852886e38, -3.4028234663852886e38]
NOTABLE += [16777217.0, 0.1, -0.75, -1.278]

numbers = st.one_of(
    st.sampled_from(NOTABLE),
    st.floats(-10, 10, width=32),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.floats(-1e6, 1e6),
)
lower_ends = st.one_of(numbers, st.just(-math.inf))
upper_ends = st.one_of(numbers, st.just(math.inf))


@st.composite
def ranges(draw: st.DrawFn) -> Interval:
    """Ranges as types have them: written, open or closed, bounded or not."""
    lo, hi = draw(lower_ends), draw(upper_ends)
    if lo > hi:
        lo, hi = hi, lo
    if lo == hi:
        return Interval.point(lo)
    return Interval.written(lo, hi, draw(st.booleans()), draw(st.booleans()))


def torch_dtype(dtype: DType) -> torch.dtype:
    return getattr(torch, dtype.torch_name)


def inside(values: torch.Tensor, interval: Interval) -> torch.Tensor:
    """Which values are in the range, NaN aside."""
    values = values.double()
    above = (values > interval.lo) | (
        (values == interval.lo) & (not interval.lo_open or math.isinf(interval.lo))
    )
    below = (values < interval.hi) | (
        (values == interval.hi) & (not interval.hi_open or math.isinf(interval.hi))
    )
    return (above & below) | values.isnan()


def samples(interval: Interval, dtype: DType) -> torch.Tensor:
    """Values of a float dtype in a range: its ends and what is next to them, small and large ones."""
    largest = min(dtype.finfo_max, torch.finfo(torch.float32).max)
    lo, hi = max(interval.lo, -largest), min(interval.hi, largest)
    steps = torch.linspace(0, 1, 13, dtype=torch.float64)
    spread = torch.cat([lo * (1 - steps) + hi * steps, lo + (hi / 2 - lo / 2) * torch.logspace(-40, 0, 9)])
    notable = torch.tensor([*NOTABLE, interval.lo, interval.hi, lo, hi, -0.0], dtype=torch.float64)
    values = torch.cat([spread, notable]).to(torch_dtype(dtype))
    infinite = torch.full((), math.inf, dtype=values.dtype)
    values = torch.cat([values, torch.nextafter(values, infinite), torch.nextafter(values, -infinite)])
    return values[inside(values, interval) & ~values.isnan()]


def expect_inside(result: torch.Tensor, interval: Interval, *operands: Interval) -> None:
    wrong = result[~inside(result, interval)]
    assert not len(wrong), f"{wrong[:4].tolist()} are not in {interval}, from {', '.join(map(str, operands))}"


def gelu_of_onednn(x: torch.Tensor) -> torch.Tensor:
    """torch's gelu on processors with AVX-512 and on Arm: in f32, and doubled before it is halved."""
    if x.dtype == torch.float64:
        return F.gelu(x)
    wide = x.float()
    return (((1 + torch.erf(wide * math.sqrt(0.5))) * wide) * 0.5).to(x.dtype)


def _in_f32(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: function(x.float()).to(x.dtype)


def exp_of_triton(x: torch.Tensor) -> torch.Tensor:
    """2 to the power of a product that is rounded to f32, which compiled code for GPUs makes sigmoid from."""
    return torch.exp2((x * torch.tensor(math.log2(math.e), dtype=x.dtype)).double()).to(x.dtype)


def tanh_of_sve(x: torch.Tensor) -> torch.Tensor:
    """torch's tanh on Arm's processors with vectors of 256 bits."""
    power = torch.exp(2 * x.clamp(-10, 10))
    return (power - 1) / (power + 1)


def log_of_lg2(x: torch.Tensor) -> torch.Tensor:
    """The logarithm by way of the GPU's own logarithm to base 2, which is off by up to 2^-22 between 0.5 and 2."""
    return torch.where(
        x == 1, x.log(), ((x.double().log2() + 2.0**-22) * math.log(2.0)).to(x.dtype).copysign(x.log())
    )


def flushing(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """A function on a device that reads numbers too small for a normal f32 as 0."""
    return lambda x: function(torch.where(x.abs() < 2.0**-126, torch.zeros_like(x).copysign(x), x))


UNARY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "abs": torch.abs,
    "acos": torch.acos,
    "asin": torch.asin,
    "ceil": torch.ceil,
    "cos": torch.cos,
    "elu": F.elu,
    "erf": torch.erf,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "floor": torch.floor,
    "gelu": F.gelu,
    "leaky_relu": F.leaky_relu,
    "log": torch.log,
    "log1p": torch.log1p,
    "log_sigmoid": F.logsigmoid,
    "neg": torch.neg,
    "relu": torch.relu,
    "round": torch.round,
    "rsqrt": torch.rsqrt,
    "sigmoid": torch.sigmoid,
    "sign": torch.sign,
    "silu": F.silu,
    "sin": torch.sin,
    "softplus": F.softplus,
    "sqrt": torch.sqrt,
    "square": torch.square,
    "tanh": torch.tanh,
}
OTHER_KERNELS: dict[str, list[Callable[[torch.Tensor], torch.Tensor]]] = {
    "exp": [_in_f32(exp_of_triton)],
    "gelu": [gelu_of_onednn],
    "log": [_in_f32(log_of_lg2), flushing(torch.log)],
    "log1p": [_in_f32(lambda x: torch.log(1 + x))],
    "log_sigmoid": [_in_f32(lambda x: x.clamp(max=0) - torch.log(1 + torch.exp(-x.abs())))],
    "rsqrt": [flushing(torch.rsqrt)],
    "sigmoid": [_in_f32(lambda x: 1 / (1 + exp_of_triton(-x)))],
    "silu": [_in_f32(lambda x: x / (1 + exp_of_triton(-x)))],
    "softplus": [_in_f32(lambda x: torch.where(x > 20, x, torch.log(1 + torch.exp(x))))],
    "sqrt": [flushing(torch.sqrt)],
    "tanh": [_in_f32(tanh_of_sve)],
}
"""Functions as other processors, Apple's and Nvidia's GPUs and compiled code compute them."""
BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "atan2": torch.atan2,
    "div": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "mul": torch.mul,
    "pow": torch.pow,
    "sub": torch.sub,
}
WITH_NUMBERS = {name: BINARY[name] for name in ("add", "div", "mul", "pow", "sub")}
REDUCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "cumprod": lambda x: torch.cumprod(x, 0),
    "cumsum": lambda x: torch.cumsum(x, 0),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "max": torch.amax,
    "mean": torch.mean,
    "min": torch.amin,
    "norm": torch.linalg.vector_norm,
    "prod": torch.prod,
    "std": torch.std,
    "sum": torch.sum,
    "var": torch.var,
}


def test_every_transfer_is_tried() -> None:
    assert FUNCTIONS.keys() == {*UNARY, *BINARY, *REDUCTIONS, "clamp", "where"}


@given(ranges())
@settings(max_examples=30)
def test_functions_of_one_tensor(x: Interval) -> None:
    for dtype in FLOATS:
        values = samples(x, dtype)
        for name, function in UNARY.items():
            expect_inside(function(values), FUNCTIONS[name](x, dtype=dtype), x)
            for other in OTHER_KERNELS.get(name, ()):
                expect_inside(other(values), FUNCTIONS[name](x, dtype=dtype), x)
            # The last elements of a tensor take another path than whole vectors.
            expect_inside(function(values[:3]), FUNCTIONS[name](x, dtype=dtype), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gelu_of_what_cannot_be_doubled_may_be_infinite(dtype: DType) -> None:
    x = Interval(0.0, torch.finfo(torch.float32).max)
    assert FUNCTIONS["gelu"](x, dtype=dtype).hi == (x.hi if dtype is DType.F64 else math.inf)
    expect_inside(gelu_of_onednn(samples(x, dtype)), FUNCTIONS["gelu"](x, dtype=dtype), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["tanh", "log1p", "log", "softplus", "log_sigmoid"])
def test_what_cancels_is_off_by_units_of_1(name: str, dtype: DType) -> None:
    for lo, hi in ((1.001, 1.5), (0.001, 0.01), (-14.0, -13.0), (14.0, 15.0)):
        x = Interval.written(lo, hi)
        for other in OTHER_KERNELS[name]:
            expect_inside(other(samples(x, dtype)), FUNCTIONS[name](x, dtype=dtype), x)


def test_a_mean_of_what_cannot_be_added_up_may_be_infinite() -> None:
    x = Interval(-1.0, 3e38)
    assert FUNCTIONS["mean"](x, dtype=DType.F32) == Interval(-1.0, math.inf)
    expect_inside(torch.full((64,), 3e38).mean().reshape(1), FUNCTIONS["mean"](x, dtype=DType.F32), x)
    assert FUNCTIONS["mean"](Interval(-2.0, 60000.0), dtype=DType.F32).hi < 60001.0


def test_ends_that_a_device_may_flush_are_0() -> None:
    x = Interval(1e-40, 1.0)
    assert FUNCTIONS["mul"](x, Interval.point(1e30), dtype=DType.F32).lo == 0.0
    assert FUNCTIONS["sqrt"](x, dtype=DType.F32).lo == 0.0
    assert FUNCTIONS["log"](x, dtype=DType.F32).lo == -math.inf


@given(ranges(), ranges())
@settings(max_examples=60)
def test_functions_of_two_tensors(x: Interval, y: Interval) -> None:
    for dtype in FLOATS:
        left, right = samples(x, dtype)[:, None], samples(y, dtype)[None, :]
        for name, function in BINARY.items():
            expect_inside(function(left, right), FUNCTIONS[name](x, y, dtype=dtype), x, y)
        condition = torch.arange(left.numel())[:, None] % 2 == 0
        expect_inside(torch.where(condition, left, right), FUNCTIONS["where"](x, y, dtype=dtype), x, y)


@given(ranges(), numbers)
@settings(max_examples=60)
def test_a_tensor_and_a_number(x: Interval, number: float) -> None:
    written = Interval.point(number)
    for dtype in FLOATS:
        if abs(number) > dtype.finfo_max:
            continue  # torch refuses these
        values = samples(x, dtype)
        for name, function in WITH_NUMBERS.items():
            transfer = FUNCTIONS[name]
            expect_inside(function(values, number), transfer(x, written, dtype=dtype), x, written)
            if name != "pow":
                expect_inside(
                    function(values.clone().fill_(number), values),
                    transfer(written, x, dtype=dtype),
                    written,
                    x,
                )
        inverse = values * torch.tensor(1.0 / number if number else math.nan, dtype=values.dtype)
        if number and dtype.bits == 32:
            # CUDA's division by a number.
            expect_inside(inverse, FUNCTIONS["div"](x, written, dtype=dtype), x, written)


@given(ranges(), numbers, numbers)
@settings(max_examples=50)
def test_clamp(x: Interval, lo: float, hi: float) -> None:
    lo, hi = min(lo, hi), max(lo, hi)
    for dtype in FLOATS:
        if abs(lo) > dtype.finfo_max or abs(hi) > dtype.finfo_max:
            continue  # torch refuses these
        values = samples(x, dtype)
        low, high = Interval.point(lo), Interval.point(hi)
        expect_inside(values.clamp(lo, hi), FUNCTIONS["clamp"](x, low, high, dtype=dtype), x, low, high)
        expect_inside(values.clamp(min=lo), FUNCTIONS["clamp"](x, low, None, dtype=dtype), x, low)
        expect_inside(values.clamp(max=hi), FUNCTIONS["clamp"](x, None, high, dtype=dtype), x, high)


@given(ranges(), st.randoms(use_true_random=False), st.sampled_from([2, 7, 1000]))
@settings(max_examples=25)
def test_reductions(x: Interval, random: object, count: int) -> None:
    for dtype in FLOATS:
        values = samples(x, dtype)
        if not len(values):
            continue
        picked = torch.tensor([random.randrange(len(values)) for _ in range(count)])  # type: ignore[attr-defined]
        spread = int(random.random() * len(values))  # type: ignore[attr-defined]
        for elements in (values[picked], values[spread].expand(count)):
            for name, function in REDUCTIONS.items():
                expect_inside(function(elements).reshape(-1), FUNCTIONS[name](x, dtype=dtype), x)


@given(ranges(), st.sampled_from(FLOATS), st.sampled_from([*FLOATS, *INTS, DType.BOOL]))
@settings(max_examples=200)
def test_conversions(x: Interval, dtype: DType, target: DType) -> None:
    values = samples(x, dtype)
    converted = x.rounded_to(target)
    if target.is_int:
        low, high = target.int_range
        # Past its range a conversion to an integer is undefined.
        values = values[(values.double().trunc() >= low) & (values.double().trunc() < high)]
    expect_inside(values.to(torch_dtype(target)), converted, x)


@st.composite
def whole_ranges(draw: st.DrawFn, dtype: DType) -> tuple[Interval, torch.Tensor]:
    low, high = dtype.int_range
    ends = st.one_of(st.integers(low, high), st.integers(max(low, -20), min(high, 20)))
    a, b = sorted([draw(ends), draw(ends)])
    values = {a, b, (a + b) // 2, *(v for v in (-1, 0, 1, 2, a + 1, b - 1) if a <= v <= b)}
    return Interval.whole(a, b), torch.tensor(sorted(values), dtype=torch_dtype(dtype))


@given(st.data(), st.sampled_from(INTS))
@settings(max_examples=60)
def test_integers_wrap_around(data: st.DataObject, dtype: DType) -> None:
    x, left = data.draw(whole_ranges(dtype))
    y, right = data.draw(whole_ranges(dtype))
    for name in ("add", "sub", "mul", "maximum", "minimum"):
        result = BINARY[name](left[:, None], right[None, :]).reshape(-1)
        expect_inside(result, FUNCTIONS[name](x, y, dtype=dtype), x, y)
    for name in ("abs", "neg", "relu", "sign", "square", "floor", "ceil", "round"):
        expect_inside(UNARY[name](left), FUNCTIONS[name](x, dtype=dtype), x)
    quotient = torch.div(left[:, None], right[None, :]).reshape(-1)
    expect_inside(quotient, FUNCTIONS["div"](x, y, dtype=DType.F32), x, y)


@given(ranges(), ranges())
@settings(max_examples=100)
def test_set_operations(x: Interval, y: Interval) -> None:
    probes = torch.cat([samples(x, DType.F64), samples(y, DType.F64)])
    in_x, in_y = inside(probes, x), inside(probes, y)
    meet, hull = x.meet(y), x.hull(y)
    assert x.intersects(y) == (meet is not None)
    assert torch.equal(in_x & in_y, torch.zeros_like(in_x) if meet is None else inside(probes, meet))
    assert bool((inside(probes, hull) | ~(in_x | in_y)).all())
    assert hull.contains(x)
    assert hull.contains(y)
    if x.contains(y):
        assert bool((in_x | ~in_y).all())
    for number, is_in in zip(probes.tolist(), in_x.tolist(), strict=True):
        assert x.includes(number) == is_in


@pytest.mark.parametrize("dtype", FLOATS[2:] + FLOATS[:1], ids=str)
@given(number=numbers)
@settings(max_examples=200)
def test_numbers_round_to_the_next_value_of_a_dtype(dtype: DType, number: float) -> None:
    rounded = Interval(number, number).rounded_to(dtype)
    stored = torch.tensor(number, dtype=torch.float64).to(torch_dtype(dtype))
    assert rounded.includes(stored.item())
    assert rounded.includes(number)
    expected: Sequence[float] = (rounded.lo, rounded.hi)
    if rounded.is_point:
        assert stored.item() == number
    elif math.isfinite(rounded.lo) and math.isfinite(rounded.hi):
        low, high = (torch.tensor(end, dtype=torch_dtype(dtype)) for end in expected)
        assert (low.double().item(), high.double().item()) == expected
        assert torch.nextafter(low, high) == high
