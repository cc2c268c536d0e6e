"""The ranges the checker works out, as users see them printed, and the edges of functions."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch

from shapescript_check.types import intervals
from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_check.types.functions import FUNCTIONS, MATH_OF_PYTHON, Edge, edge
from shapescript_check.types.intervals import Interval
from shapescript_check.types.rounding import nearest_f32, round_down_f32, round_up_f32

REAL, NONNEG, POS = Interval.REAL, Interval.NONNEG, Interval.POS
UNIT, SIGNED, NONPOS = Interval.UNIT, Interval.SIGNED, Interval.NONPOS
LARGEST = torch.finfo(torch.float32).max


def number(value: float) -> Interval:
    return Interval.point(value)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (UNIT, "[0, 1]"),
        (POS, "(0, inf)"),
        (REAL, "(-inf, inf)"),
        (NONPOS, "(-inf, 0]"),
        (Interval(0, 10, hi_open=True), "[0, 10)"),
        (number(0.1), "[0.1, 0.1]"),
        (Interval.written(0.05, 10), "[0.05, 10]"),
        (number(1e-6), "[1e-6, 1e-6]"),
        (number(1e30), "[1e30, 1e30]"),
        (number(-0.0), "[0, 0]"),
        (Interval.whole(0, 2**53), "[0, 9007199254740992]"),
        (Interval(round_down_f32(0.1), round_up_f32(0.1)), "[0.099999994, 0.1]"),
    ],
)
def test_printing(interval: Interval, text: str) -> None:
    assert str(interval) == text


def test_an_interval_without_a_number_is_refused() -> None:
    for lo, hi, lo_open in [
        (1.0, 0.0, False),
        (0.0, 0.0, True),
        (math.inf, math.inf, False),
        (math.nan, 1.0, False),
    ]:
        with pytest.raises(ValueError, match="no number"):
            Interval(lo, hi, lo_open)


def test_intervals_are_values() -> None:
    assert Interval(0, 1) == UNIT
    assert hash(Interval(0, 1)) == hash(UNIT)
    assert Interval(0, 1, lo_open=True) != UNIT
    assert pickle.loads(pickle.dumps(POS)) == POS
    assert copy.deepcopy(POS) == POS


def test_a_written_number_covers_itself_and_what_a_tensor_stores() -> None:
    for value in (0.1, -0.1, 0.05, 1 / 3, 1e-50, 1e300, 16777217, 10**400, -(10**400)):
        interval = number(value)
        if abs(value) < 1e301:
            assert interval.includes(value)
            assert interval.includes(torch.tensor(float(value)).item())
        else:
            assert not (math.isfinite(interval.lo) and math.isfinite(interval.hi))


@pytest.mark.parametrize(
    "value", [0.1, 1.0, 1e-45, 1e-46, -1e-46, 3e38, 1e39, -1e39, 2.0**-126, 16777217.0, 1e-310]
)
def test_rounding_gives_neighbours_in_f32(value: float) -> None:
    low, high = round_down_f32(value), round_up_f32(value)
    assert low <= value <= high
    stored = torch.tensor(value, dtype=torch.float64).float()
    assert nearest_f32(value) == stored.item()
    below, above = torch.tensor(low), torch.tensor(high)
    assert below.item() == low
    assert above.item() == high
    assert low == high or torch.nextafter(below, torch.tensor(math.inf)) == above


def test_filling_with_minus_infinity_leaves_the_range_open_below() -> None:
    assert str(intervals.where(UNIT, number(-math.inf))) == "(-inf, 1]"
    assert number(math.inf).includes(math.inf)
    assert intervals.clamp(SIGNED, Interval.ZERO, number(math.inf)) == UNIT


def test_widening_into_a_range() -> None:
    assert NONNEG.contains(UNIT)
    assert SIGNED.contains(UNIT)
    assert not POS.contains(UNIT)
    assert NONNEG.contains(POS)
    assert not POS.contains(NONNEG)
    assert REAL.contains(REAL)
    assert Interval(0, 1, hi_open=True).contains(Interval(0, 0.5))
    assert not Interval(0, 1, hi_open=True).contains(UNIT)


def test_hull_and_meet() -> None:
    assert str(POS.hull(NONPOS)) == "(-inf, inf)"
    assert str(Interval(0, 1, True).hull(Interval(0, 2))) == "[0, 2]"
    assert str(Interval(0, 1, hi_open=True).hull(Interval(-1, 1, hi_open=True))) == "[-1, 1)"
    assert POS.meet(NONPOS) is None
    assert NONNEG.meet(NONPOS) == Interval.ZERO
    assert not POS.intersects(NONPOS)
    assert str(POS.meet(SIGNED)) == "(0, 1]"


def test_a_counter_in_a_loop_is_not_negative_and_a_doubled_unit_value_is_not_bounded() -> None:
    counter = Interval.ZERO
    stepped = counter.hull(intervals.add(counter, Interval.ONE))
    assert str(stepped.widen(counter)) == "[0, inf)"
    doubled = UNIT.hull(intervals.mul(UNIT, number(2)))
    assert str(doubled.widen(UNIT)) == "[0, inf)"
    assert UNIT.widen(UNIT) == UNIT
    assert POS.hull(UNIT).widen(POS) == NONNEG


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (intervals.add(UNIT, UNIT), "[0, 2]"),
        (intervals.sub(SIGNED, SIGNED), "[-2, 2]"),
        (intervals.sub(intervals.mul(UNIT, number(2)), Interval.ONE), "[-1, 1]"),
        (intervals.mul(SIGNED, UNIT), "[-1, 1]"),
        (intervals.mul(Interval.ZERO, REAL), "[0, 0]"),
        (intervals.mul(POS, POS), "[0, inf)"),
        (intervals.mul(POS, number(2)), "(0, inf)"),
        (intervals.add(POS, NONNEG), "(0, inf)"),
        (intervals.add(Interval(0, 1, True), Interval.ONE), "[1, 2]"),
        (intervals.add(number(LARGEST), number(LARGEST)), "[3.4028235e38, inf)"),
        (intervals.div(Interval.whole(0, 255), number(255)), "[0, 1]"),
        (intervals.div(Interval.ONE, POS), "[0, inf)"),
        (intervals.div(Interval.ONE, Interval(0, 1, True)), "[1, inf)"),
        (intervals.div(Interval.ONE, Interval(-1, 0, hi_open=True)), "(-inf, -1]"),
        (intervals.div(Interval.ONE, NONNEG), "(-inf, inf)"),
        (intervals.div(POS, Interval(0.5, 1)), "(0, inf)"),
        (intervals.abs(Interval(-3, 2)), "[0, 3]"),
        (intervals.abs(Interval(-2, 2, lo_open=True)), "[0, 2]"),
        (intervals.abs(Interval(-2, -1, hi_open=True)), "(1, 2]"),
        (intervals.square(SIGNED), "[0, 1]"),
        (intervals.square(Interval(2, 3)), "[4, 9]"),
        (intervals.relu(POS), "(0, inf)"),
        (intervals.relu(SIGNED), "[0, 1]"),
        (intervals.sign(POS), "[1, 1]"),
        (intervals.sign(Interval(-5, 0, hi_open=True)), "[-1, -1]"),
        (intervals.sign(NONNEG), "[0, 1]"),
        (intervals.clamp(REAL, number(0.1), Interval.ONE), "[0.1, 1]"),
        (intervals.clamp(UNIT, None, number(0.5)), "[0, 0.5]"),
        (intervals.clamp(UNIT, number(2), number(3)), "[2, 2]"),
        (intervals.maximum(SIGNED, POS), "(0, inf)"),
        (intervals.minimum(SIGNED, POS), "[-1, 1]"),
        (intervals.floor(Interval(0, 10, hi_open=True)), "[0, 9]"),
        (intervals.floor(Interval(-0.5, 1.5)), "[-1, 1]"),
        (intervals.ceil(Interval(0, 1.5, lo_open=True)), "[1, 2]"),
        (intervals.ceil(REAL), "(-inf, inf)"),
        (intervals.round(Interval(0.5, 1.5)), "[0, 2]"),
        (intervals.where(UNIT, Interval(5, 6)), "[0, 6]"),
        (FUNCTIONS["pow"](SIGNED, number(2)), "[0, 1]"),
        (FUNCTIONS["pow"](SIGNED, number(1)), "[-1, 1]"),
        (FUNCTIONS["pow"](SIGNED, number(3)), "(-inf, inf)"),
        (FUNCTIONS["pow"](UNIT, number(3)), "[0, 1]"),
        (FUNCTIONS["pow"](UNIT, UNIT), "[0, 1]"),
        (FUNCTIONS["pow"](NONNEG, number(0.5)), "[0, inf)"),
        (FUNCTIONS["pow"](Interval(1, 5), number(-1.5)), "[0.08944203, 1]"),
        (FUNCTIONS["pow"](UNIT, number(-1)), "(-inf, inf)"),
        (FUNCTIONS["pow"](Interval(2, 3), Interval(0, 4), dtype=DType.I64), "[1, 81]"),
        (FUNCTIONS["pow"](Interval(1, math.inf), Interval(1, math.inf), dtype=DType.I64), "(-inf, inf)"),
    ],
)
def test_arithmetic(interval: Interval, text: str) -> None:
    assert str(interval) == text


@pytest.mark.parametrize(
    ("name", "interval", "text"),
    [
        ("exp", REAL, "[0, inf)"),
        ("exp", NONNEG, "[1, inf)"),
        ("exp", NONPOS, "[0, 1]"),
        ("expm1", NONNEG, "[0, inf)"),
        ("expm1", REAL, "[-1, inf)"),
        ("log", Interval(1, math.inf), "[0, inf)"),
        ("log", POS, "(-inf, inf)"),
        ("log", Interval(0, 1, True), "(-inf, 0]"),
        ("log", UNIT, "(-inf, inf)"),
        ("log1p", NONNEG, "[0, inf)"),
        ("log1p", SIGNED, "(-inf, inf)"),
        ("sqrt", NONNEG, "[0, inf)"),
        ("sqrt", UNIT, "[0, 1]"),
        ("sqrt", SIGNED, "(-inf, inf)"),
        ("rsqrt", POS, "[0, inf)"),
        ("rsqrt", Interval(1, math.inf), "[0, 1]"),
        ("rsqrt", NONNEG, "(-inf, inf)"),
        ("sigmoid", REAL, "[0, 1]"),
        ("sigmoid", NONNEG, "[0.5, 1]"),
        ("tanh", REAL, "[-1, 1]"),
        ("tanh", NONPOS, "[-1, 0]"),
        ("softplus", REAL, "[0, inf)"),
        ("log_sigmoid", REAL, "(-inf, 0]"),
        ("sin", REAL, "[-1, 1]"),
        ("cos", UNIT, "[-1, 1]"),
        ("erf", REAL, "[-1, 1]"),
        ("erf", NONNEG, "[0, 1]"),
        ("gelu", REAL, "[-0.17, inf)"),
        ("gelu", NONNEG, "[0, inf)"),
        ("gelu", Interval(-0.1, 2), "[-0.1, 2]"),
        ("silu", REAL, "[-0.2785, inf)"),
        ("silu", NONPOS, "[-0.2785, 0]"),
        ("leaky_relu", UNIT, "[0, inf)"),
        ("leaky_relu", SIGNED, "(-inf, inf)"),
        ("elu", NONNEG, "[0, inf)"),
        ("acos", REAL, "[0, 3.1415927]"),
        ("asin", UNIT, "[-1.5707964, 1.5707964]"),
        ("sum", UNIT, "[0, inf)"),
        ("sum", POS, "(0, inf)"),
        ("sum", Interval(-2, -1), "(-inf, 0)"),
        ("sum", SIGNED, "(-inf, inf)"),
        ("sum", Interval.ZERO, "[0, 0]"),
        ("cumsum", UNIT, "[0, inf)"),
        ("prod", POS, "[0, inf)"),
        ("cumprod", SIGNED, "(-inf, inf)"),
        ("max", SIGNED, "[-1, 1]"),
        ("min", POS, "(0, inf)"),
        ("mean", SIGNED, "[-1, 1]"),
        ("mean", Interval(0, 4), "[0, 4.000061]"),
        ("mean", Interval(0.5, 1), "[0.49999237, 1]"),
        ("std", SIGNED, "[0, inf)"),
        ("var", REAL, "[0, inf)"),
        ("norm", REAL, "[0, inf)"),
        ("logsumexp", UNIT, "[0, inf)"),
    ],
)
def test_functions_and_reductions(name: str, interval: Interval, text: str) -> None:
    assert str(FUNCTIONS[name](interval)) == text


def test_reductions_of_an_axis_that_may_be_empty() -> None:
    assert FUNCTIONS["sum"](POS, empty=True) == NONNEG
    assert FUNCTIONS["logsumexp"](UNIT, empty=True) == REAL
    assert torch.logsumexp(torch.empty(0), 0) == -math.inf


def test_angles_of_two_numbers() -> None:
    assert str(FUNCTIONS["atan2"](REAL, REAL)) == "[-3.1415927, 3.1415927]"


def test_narrow_dtypes_round_further_out() -> None:
    bf16 = DTYPES["bf16"]
    tenth = intervals.mul(UNIT, number(0.1), bf16)
    assert tenth.includes(torch.tensor(0.1, dtype=torch.bfloat16).item())
    assert intervals.mul(UNIT, Interval.ONE, bf16) == UNIT
    assert FUNCTIONS["sigmoid"](REAL, dtype=bf16) == UNIT
    assert str(intervals.add(number(60000), number(60000), DTYPES["f16"])) == "[65504, inf)"
    assert str(Interval(0, 1, True).rounded_to(bf16)) == "[0, 1]"
    assert str(number(0.1).rounded_to(DTYPES["f16"])) == "[0.099975586, 0.10003662]"


def test_conversions_to_integers_truncate() -> None:
    assert str(Interval(-1.5, 2.5).rounded_to(DType.I32)) == "[-1, 2]"
    assert str(Interval(0, 300).rounded_to(DType.U8)) == "[0, 255]"
    assert str(Interval(-3, 3).rounded_to(DType.BOOL)) == "[0, 1]"


def test_small_integers_wrap_around_and_large_ones_are_exact() -> None:
    pixels = Interval.whole(0, 255)
    assert str(intervals.add(pixels, Interval.ONE, DType.U8)) == "[0, 255]"
    assert str(intervals.add(pixels, Interval.ONE, DType.I16)) == "[1, 256]"
    assert str(intervals.neg(pixels, DType.U8)) == "[0, 255]"
    big = Interval.whole(2**24 + 1, 2**40)
    assert str(intervals.add(big, Interval.ONE, DType.I64)) == f"[{2**24 + 2}, {2**40 + 1}]"
    assert str(intervals.minimum(big, big, DType.I64)) == f"[{2**24 + 1}, {2**40}]"
    assert intervals.mul(Interval.whole(0, 2**40), Interval.whole(0, 2**40), DType.I64) == REAL
    assert str(intervals.add(NONNEG, Interval.ONE, DType.I64)) == "[1, inf)"


@pytest.mark.parametrize(
    ("name", "interval", "expected"),
    [
        ("log", POS, Edge.NONE),
        ("log", REAL, Edge.NONE),
        ("log", Interval(-math.inf, 5), Edge.NONE),
        ("log", UNIT, Edge.TOUCHES),
        ("log", SIGNED, Edge.OUTSIDE),
        ("log", NONPOS, Edge.OUTSIDE),
        ("log", Interval.ZERO, Edge.OUTSIDE),
        ("log1p", Interval(-1, 0), Edge.TOUCHES),
        ("log1p", SIGNED, Edge.TOUCHES),
        ("log1p", Interval(-1, 0, True), Edge.NONE),
        ("log1p", Interval(-2, 0), Edge.OUTSIDE),
        ("rsqrt", NONNEG, Edge.TOUCHES),
        ("rsqrt", Interval(-1, -0.5), Edge.OUTSIDE),
        ("sqrt", NONNEG, Edge.NONE),
        ("sqrt", NONPOS, Edge.NONE),
        ("sqrt", SIGNED, Edge.OUTSIDE),
        ("sqrt", Interval(-math.inf, -1), Edge.OUTSIDE),
        ("div", REAL, Edge.NONE),
        ("div", POS, Edge.NONE),
        ("div", NONNEG, Edge.TOUCHES),
        ("div", SIGNED, Edge.TOUCHES),
        ("div", NONPOS, Edge.TOUCHES),
        ("div", Interval.ZERO, Edge.OUTSIDE),
        ("acos", SIGNED, Edge.NONE),
        ("acos", Interval(-5, 5), Edge.NONE),
        ("acos", Interval(1, 2, True), Edge.OUTSIDE),
        ("asin", Interval(2, 3), Edge.OUTSIDE),
        ("exp", REAL, Edge.NONE),
    ],
)
def test_edges(name: str, interval: Interval, expected: Edge) -> None:
    assert edge(name, interval) is expected


def test_python_functions_whose_mathematics_is_known_exist() -> None:
    for path, name in MATH_OF_PYTHON.items():
        found: object = torch
        for part in path.split(".")[1:]:
            found = getattr(found, part)
        assert callable(found)
        assert name in FUNCTIONS
