"""The tensor routines of generated code, against NumPy and torch."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import shapescript_runtime as rt

INF, NAN = math.inf, math.nan
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
NUMBERS = (*FLOATS, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)
# A NaN whose sign bit is set, as 0 / 0 gives on some processors.
NEGATIVE_NAN = torch.tensor([-(2**22)], dtype=torch.int32).view(torch.float32).item()


def values(dtype: torch.dtype, shape: tuple[int, ...] = (4, 500)) -> torch.Tensor:
    """Numbers with many ties, and for floats with NaN, infinities and both zeros."""
    generator = torch.Generator().manual_seed(7)
    x = torch.randint(0, 2 if dtype == torch.bool else 40, shape, generator=generator).to(dtype)
    if dtype.is_floating_point:
        x = x - 20
        pool = torch.tensor([0.0, -0.0, INF, -INF, NAN, NEGATIVE_NAN], dtype=dtype)
        special = torch.rand(shape, generator=generator) < 0.05
        x = torch.where(special, pool[torch.randint(0, 6, shape, generator=generator)], x)
    return x


def ascending(x: torch.Tensor, axis: int) -> np.ndarray:
    """NumPy's stable order, which puts NaN last and takes -0.0 for 0.0."""
    array = x.to(torch.float64).numpy() if x.dtype == torch.bfloat16 else x.numpy()
    return np.argsort(array, axis=axis, kind="stable")


def descending(x: torch.Tensor, axis: int) -> np.ndarray:
    """The largest first, NaN before infinity, and equal values in the order of their positions."""
    array = x.to(torch.float64).numpy()
    rank = np.where(np.isnan(array), np.inf, array)
    return np.lexsort((-rank, ~np.isnan(array)), axis=axis)


def same(x: torch.Tensor, y: torch.Tensor) -> bool:
    return bool(torch.equal(x.nan_to_num(nan=12345.0), y.nan_to_num(nan=12345.0)))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 4), (3, 5), (5, 3), (0, 4), (4, 0)])
def test_a_causal_mask(n: int, m: int) -> None:
    mask = rt.causal(n, m, torch.device("cpu"))
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[j <= i for j in range(m)] for i in range(n)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_mask_to_additive(dtype: torch.dtype) -> None:
    added = rt.to_additive(torch.tensor([[True, False], [True, True]]), dtype)
    assert added.dtype == dtype
    assert added.tolist() == [[0.0, -INF], [0.0, 0.0]]
    assert torch.vmap(lambda row: rt.to_additive(row, dtype))(torch.tensor([[True], [False]])).tolist() == [
        [0.0],
        [-INF],
    ]


@pytest.mark.parametrize("kind", [torch.uint8, torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_one_hot(kind: torch.dtype, dtype: torch.dtype) -> None:
    index = torch.tensor([[0, 3], [2, 2]], dtype=kind)
    hot = rt.one_hot_binary(index, 5, dtype)
    assert hot.dtype == dtype
    assert torch.equal(hot, torch.nn.functional.one_hot(index.long(), 5).to(dtype))
    assert torch.equal(torch.vmap(lambda i: rt.one_hot_binary(i, 5, dtype))(index), hot)


def test_one_hot_of_a_scalar_and_out_of_range() -> None:
    assert rt.one_hot_binary(torch.tensor(1), 3).tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(RuntimeError, match="out of bounds"):
        rt.one_hot_binary(torch.tensor([3]), 3)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sorting(dtype: torch.dtype, dim: int) -> None:
    x = values(dtype)
    order = torch.from_numpy(ascending(x, dim))
    assert torch.equal(rt.argsort_total_order(x, dim), order)
    assert same(rt.sort_total_order(x, dim), x.gather(dim, order))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("k", [0, 1, 7, 100, 500])
def test_the_largest(dtype: torch.dtype, k: int) -> None:
    x = values(dtype)
    order = torch.from_numpy(descending(x, 1)[:, :k].copy())
    top, positions = rt.topk_total_order(x, k, 1)
    assert torch.equal(positions, order)
    assert same(top, x.gather(1, order))
    assert top.dtype == dtype


@pytest.mark.parametrize("dim", [0, 1, 2, -3])
def test_the_largest_along_any_axis(dim: int) -> None:
    x = torch.randn(300, 301, 302, generator=torch.Generator().manual_seed(1))[:, ::40, :].contiguous()
    x = x if dim % 3 != 1 else x.transpose(0, 1)
    top, positions = rt.topk_total_order(x, 5, dim)
    expected = torch.topk(x, 5, dim)
    assert torch.equal(top, expected[0])
    assert torch.equal(positions, expected[1])


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, NAN, INF, -INF]), min_size=256, max_size=300),
    st.integers(min_value=0, max_value=64),
)
def test_the_largest_of_ties(numbers: list[float], k: int) -> None:
    x = torch.tensor([numbers])
    assert torch.equal(rt.topk_total_order(x, k, 1)[1], torch.from_numpy(descending(x, 1)[:, :k].copy()))


def test_zeros_keep_their_signs() -> None:
    x = torch.tensor([-0.0, 0.0, -0.0])
    assert rt.topk_total_order(x, 3, 0)[0].signbit().tolist() == [True, False, True]
    assert rt.sort_total_order(x, 0).signbit().tolist() == [True, False, True]


@pytest.mark.parametrize("size", [8, 1000])
def test_gradients_reach_the_values(size: int) -> None:
    x = torch.randn(3, size, generator=torch.Generator().manual_seed(2)).requires_grad_()
    weights = torch.arange(1.0, 3.0)
    (rt.topk_total_order(x, 2, 1)[0] * weights).sum().backward()
    got, x.grad = x.grad, None
    (torch.topk(x, 2, 1)[0] * weights).sum().backward()
    assert got is not None
    assert x.grad is not None
    assert torch.equal(got, x.grad)
    x.grad = None
    (rt.sort_total_order(x, 1) * torch.arange(size)).sum().backward()
    assert torch.equal(x.grad, torch.argsort(torch.argsort(x, 1), 1).float())


@pytest.mark.parametrize("size", [8, 1000])
def test_they_can_be_traced(size: int) -> None:
    x = torch.randn(3, size)
    compiled = torch.compile(lambda x: rt.topk_total_order(x, 2, -1), fullgraph=True, backend="eager")
    for left, right in zip(compiled(x), rt.topk_total_order(x, 2, -1), strict=True):
        assert torch.equal(left, right)
    for left, right in zip(
        torch.vmap(lambda row: rt.topk_total_order(row, 2, 0))(x), rt.topk_total_order(x, 2, 1), strict=True
    ):
        assert torch.equal(left, right)
    assert torch.equal(torch.vmap(lambda row: rt.sort_total_order(row, 0))(x), x.sort(1)[0])


def test_more_than_an_axis_has() -> None:
    for k in (-1, 4):
        with pytest.raises(rt.ShapeError) as raised:
            rt.topk_total_order(torch.ones(2, 3), k, 1)
        assert str(raised.value) == f"topk takes 0 to 3 values of an axis of size 3, not {k}"


def test_selecting_with_a_mask() -> None:
    x = torch.arange(24).reshape(2, 3, 4)
    rows = torch.tensor([True, False, True])
    assert torch.equal(rt.index_mask(x, rows, 1), x[:, [0, 2]])
    assert torch.equal(rt.index_mask(x, x > 20, 0), torch.tensor([21, 22, 23]))
    grid = torch.zeros(3, 4, dtype=torch.bool)
    grid[1, 2] = grid[0, 3] = True
    assert rt.index_mask(x, grid, 1).tolist() == [[3, 6], [15, 18]]
    with pytest.raises(IndexError, match="shape of the mask"):
        rt.index_mask(x, rows, 0)
