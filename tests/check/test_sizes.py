"""Sizes: how they print, when they are equal, exact division, and what is provable about them."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapescript_check.sizes import Size, SizeTooLarge, Symbol, SymbolKind

WIDTH = Symbol.dim("D", 768)
HEADS = Symbol.dim("H", 12)
D, H, DH = Size.of(WIDTH), Size.of(HEADS), Size.of(Symbol.dim("Dh", 64))
n, m, gh, gw = (Size.of(Symbol.generic(name)) for name in ("n", "m", "gh", "gw"))
k, k2 = Size.of(Symbol.unknown("k")), Size.of(Symbol.unknown("k2"))


def num(number: int) -> Size:
    return Size.number(number)


class TestSymbols:
    def test_equal_symbols_are_one_object(self) -> None:
        assert Symbol.dim("D", 768) is WIDTH
        assert Symbol.dim("D", 769) is not WIDTH
        assert Symbol.unknown("k", 1) is not Symbol.unknown("k", 2)
        assert Symbol.generic("n") is not Symbol.variable("n")

    def test_only_dims_have_a_value_and_it_is_at_least_one(self) -> None:
        for kind, value in [(SymbolKind.DIM, None), (SymbolKind.DIM, 0), (SymbolKind.GENERIC, 3)]:
            with pytest.raises(ValueError, match="cannot have the value"):
                Symbol(kind, "x", value)

    def test_copies_are_the_same(self) -> None:
        assert copy.deepcopy(WIDTH) is WIDTH
        assert pickle.loads(pickle.dumps(3 * D + n)) == 3 * D + n


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (num(0), "0"),
        (num(-3), "-3"),
        (D, "D"),
        (D * 3, "3*D"),
        (3 * H * DH, "3*H*Dh"),
        (3 * DH * H, "3*Dh*H"),
        (gh * gw, "gh*gw"),
        (n + 1, "n + 1"),
        (1 + n, "n + 1"),
        (2 * n - 3, "2*n - 3"),
        (m - n, "m - n"),
        (-n + m, "m - n"),
        (-n - 1, "-n - 1"),
        (n + n, "2*n"),
        (n - n, "0"),
        (n * n, "n*n"),
        ((n + 1) * 2, "2*n + 2"),
        ((n + 1) * (m + 1), "n*m + n + m + 1"),
        (k + k2, "?k + ?k2"),
        (5 - n, "-n + 5"),
    ],
)
def test_sizes_print_as_they_are_written(size: Size, text: str) -> None:
    assert str(size) == text


def test_values_are_shown_where_they_add_something() -> None:
    assert (3 * D).text_with_value() == "3*D = 2304"
    assert D.text_with_value() == "D = 768"
    assert (D * n).text_with_value() == "D*n = 768*n"
    assert n.text_with_value() == "n"
    assert num(196).text_with_value() == "196"


def test_order_does_not_matter_to_equality_and_is_kept_for_printing() -> None:
    assert H * DH == DH * H
    assert hash(H * DH) == hash(DH * H)
    assert str(H * DH) != str(DH * H)
    assert n + m == m + n
    assert n + m != n * m


def test_sizes_compare_by_value_after_replacing_dims() -> None:
    assert D != H * DH
    assert D.same(H * DH)
    assert (3 * D).as_int() == 2304
    assert (D * n).value == 768 * n
    assert (D * n).as_int() is None
    assert not n.same(num(196))
    assert not k.same(k2)
    assert (D - H * DH).as_int() == 0


def test_only_a_single_dim_or_generic_axis_gives_a_name() -> None:
    assert [size.name for size in (D, n, 3 * D, n + 1, k, num(2), n * m)] == ["D", "n", *[None] * 5]


def test_what_is_written_as_a_number() -> None:
    assert num(3).is_number
    assert not D.is_number


@pytest.mark.parametrize(
    ("a", "b", "quotient"),
    [
        (2 * n, num(2), "n"),
        (D, H, "64"),
        (n * m, n, "m"),
        (3 * D, D, "3"),
        (2 * n + 4, num(2), "n + 2"),
        (D * n + 768, D, "n + 1"),
        (n * n, n, "n"),
        (num(0), n, "0"),
        (6 * n, D - 766, "3*n"),
        (D, num(5), None),
        (n, num(2), None),
        (num(2), n, None),
        (n + 1, n, None),
        (n * m + n, n + m, None),
        (n, num(0), None),
    ],
)
def test_division_is_exact_or_none(a: Size, b: Size, quotient: str | None) -> None:
    result = Size.divide(a, b)
    assert (None if result is None else str(result)) == quotient


def test_substitution() -> None:
    symbol = Symbol.variable("v")
    v = Size.of(symbol)
    assert str((2 * v + n).substitute({symbol: 3 * D})) == "6*D + n"
    assert (v * v).substitute({symbol: n + 1}) == n * n + 2 * n + 1
    assert n.substitute({symbol: D}) is n


@pytest.mark.parametrize(
    ("size", "bound"),
    [
        (num(-3), -3),
        (D, 768),
        (n, 1),
        (k, 0),
        (2 * n + 3 * m, 5),
        (n - 1, 0),
        (n * m - n, 0),
        (n * k - k, 0),
        (-n, None),
        (n - m, None),
        (D - n, None),
    ],
)
def test_lower_bounds(size: Size, bound: int | None) -> None:
    assert size.lower_bound() == bound


def test_what_slices_need_to_prove() -> None:
    assert n.surely_at_least(n - 1)
    assert (n - 1).surely_at_least(0)
    assert (2 * n).surely_at_least(2 * n)
    assert (2 * n).surely_at_least(n + 1)
    assert (n * m).surely_at_least(n)
    assert D.surely_at_least(H)
    assert k.surely_at_least(0)
    assert not k.surely_at_least(1)
    assert not n.surely_at_least(3)
    assert not n.surely_at_least(m)
    assert not n.surely_at_least(n + 1)


class TestTooLarge:
    def test_numbers_beyond_128_bits(self) -> None:
        assert num(2**127 - 1).as_int() == 2**127 - 1
        assert num(-(2**127)).as_int() == -(2**127)
        for number in (2**127, -(2**127) - 1):
            with pytest.raises(SizeTooLarge):
                num(number)

    def test_products_of_numbers_and_of_dims(self) -> None:
        huge = num(2**100)
        with pytest.raises(SizeTooLarge):
            huge * huge
        dim = Size.of(Symbol.dim("Big", 2**100))
        with pytest.raises(SizeTooLarge):
            dim * dim
        with pytest.raises(SizeTooLarge):
            n.substitute({Symbol.generic("n"): dim}) * dim * m

    def test_a_product_with_absurdly_many_terms(self) -> None:
        total = sum((Size.of(Symbol.generic(f"a{i}")) for i in range(30)), num(1))
        with pytest.raises(SizeTooLarge):
            total * total * total * total

    def test_a_proof_that_would_need_too_many_terms_is_not_a_proof(self) -> None:
        product = num(1)
        for i in range(24):
            product = product * Size.of(Symbol.generic(f"a{i}"))
        assert (product - n).lower_bound() is None
        assert not product.surely_at_least(n)
        assert product.lower_bound() == 1


SYMBOLS = [WIDTH, HEADS, Symbol.generic("n"), Symbol.generic("m"), Symbol.unknown("k")]
polynomials = st.recursive(
    st.one_of(st.integers(-9, 9).map(Size.number), st.sampled_from(SYMBOLS).map(Size.of)),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
    ),
    max_leaves=6,
)
values = st.tuples(st.integers(1, 50), st.integers(1, 50), st.integers(0, 50))


def evaluate(size: Size, chosen: tuple[int, int, int]) -> int:
    numbers = dict(zip(SYMBOLS[2:], map(Size.number, chosen), strict=True))
    result = size.substitute(numbers).as_int()
    assert result is not None
    return result


@given(polynomials, polynomials, values)
def test_arithmetic_is_that_of_the_values(a: Size, b: Size, chosen: tuple[int, int, int]) -> None:
    x, y = evaluate(a, chosen), evaluate(b, chosen)
    assert evaluate(a + b, chosen) == x + y
    assert evaluate(a - b, chosen) == x - y
    assert evaluate(a * b, chosen) == x * y
    assert a + b == b + a
    assert a * b == b * a
    assert hash(a * b) == hash(b * a)
    quotient = Size.divide(a, b)
    if quotient is not None:
        assert evaluate(quotient, chosen) * y == x


@given(polynomials, polynomials, values)
def test_what_is_proved_holds(a: Size, b: Size, chosen: tuple[int, int, int]) -> None:
    bound = a.lower_bound()
    assert bound is None or evaluate(a, chosen) >= bound
    if a.surely_at_least(b):
        assert evaluate(a, chosen) >= evaluate(b, chosen)
    if a.same(b):
        assert evaluate(a, chosen) == evaluate(b, chosen)


@given(polynomials)
def test_what_prints_reads_back_as_the_same_size(size: Size) -> None:
    names = {str(symbol).replace("?", ""): Size.of(symbol) for symbol in SYMBOLS}
    assert eval(str(size).replace("?", ""), {}, names) in (size, size.as_int())
