"""Recurrences along an axis, against loops over NumPy arrays."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode

from shapescript_runtime import ShapeError, linear_scan, matrix_scan, table_scan

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 33, 100)
both_ways = pytest.mark.parametrize("reverse", [False, True], ids=["from the start", "from the end"])


def along(size: int, reverse: bool) -> Iterator[int]:
    return iter(reversed(range(size)) if reverse else range(size))


def linear_loop(a: np.ndarray, b: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
    a, b = np.broadcast_arrays(a, b)
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    h, state = np.empty_like(b), np.zeros_like(b[0])
    for t in along(len(b), reverse):
        state = h[t] = a[t] * state + b[t]
    return np.moveaxis(h, 0, axis)


def matrix_loop(
    a: np.ndarray, b: np.ndarray, axis: int, reverse: bool, projective: bool = False
) -> np.ndarray:
    leading = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.moveaxis(np.broadcast_to(a, leading + a.shape[-2:]), axis, 0)
    b = np.moveaxis(np.broadcast_to(b, leading + b.shape[-2:]), axis, 0)
    h, state = np.empty_like(b), np.zeros_like(b[0])
    product = np.broadcast_to(np.eye(a.shape[-1]), a.shape[1:])
    for t in along(len(b), reverse):
        state, product = a[t] @ state + b[t], a[t] @ product
        if projective:
            largest = np.abs(product).max((-2, -1), keepdims=True)
            state, product = state / largest, product / largest
        h[t] = state
    return np.moveaxis(h, 0, axis)


def table_loop(table: np.ndarray, symbols: np.ndarray, axis: int, start: int) -> np.ndarray:
    symbols = np.moveaxis(symbols, axis, 0)
    h, state = np.empty_like(symbols), np.full(symbols.shape[1:], start)
    for t in range(len(symbols)):
        state = h[t] = table[state, symbols[t]]
    return np.moveaxis(h, 0, axis)


def drawn(*shape: int, seed: int = 0, scale: float = 1.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)


def broadcast_shapes(choose: random.Random, size: int) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Two shapes that are broadcast together, and the axis of the result that has a size."""
    rank = choose.randint(1, 4)
    axis = choose.randrange(rank)
    whole = [size if i == axis else choose.randint(1, 3) for i in range(rank)]
    stretched = [tuple(1 if choose.random() < 0.3 else n for n in whole) for _ in range(2)]
    keeper = choose.randrange(2)
    stretched[keeper] = tuple(whole)
    cut = choose.randint(0, rank - 1)
    stretched[1 - keeper] = stretched[1 - keeper][cut:]
    return stretched[0], stretched[1], axis


# --- values ------------------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("size", LENGTHS)
def test_linear(size: int, reverse: bool) -> None:
    choose = random.Random(size)
    for seed in range(8):
        one, other, axis = broadcast_shapes(choose, size)
        a, b = drawn(*one, seed=seed), drawn(*other, seed=seed + 100)
        expected = linear_loop(a.numpy(), b.numpy(), axis, reverse)
        torch.testing.assert_close(linear_scan(a, b, axis, reverse), torch.from_numpy(expected.copy()))


@both_ways
@pytest.mark.parametrize("size", LENGTHS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (5, 1), (16, 2), (20, 4)])
def test_matrices(size: int, n: int, m: int, reverse: bool) -> None:
    choose = random.Random(size)
    for seed in range(3):
        one, other, axis = broadcast_shapes(choose, size)
        a, b = drawn(*one, n, n, seed=seed, scale=n**-0.5), drawn(*other, n, m, seed=seed + 100)
        expected = matrix_loop(a.numpy(), b.numpy(), axis, reverse)
        torch.testing.assert_close(matrix_scan(a, b, axis, reverse), torch.from_numpy(expected.copy()))


@both_ways
@pytest.mark.parametrize("size", LENGTHS)
def test_projective_matrices(size: int, reverse: bool) -> None:
    for seed in range(3):
        a, b = drawn(2, size, 3, 3, seed=seed), drawn(size, 3, 2, seed=seed + 100)
        expected = matrix_loop(a.numpy(), b.numpy(), 1, reverse, projective=True)
        found = matrix_scan(a, b, 1, reverse, projective=True)
        torch.testing.assert_close(found, torch.from_numpy(expected.copy()))


def test_projective_products_dont_overflow() -> None:
    a = drawn(2000, 2, 2, scale=1e6).float()
    b = torch.zeros(2000, 2, 1)
    b[0] = torch.tensor([[1.0], [2.0]])
    found = matrix_scan(a, b, 0, projective=True)
    assert found.isfinite().all()
    # The true states, in directions, by a loop that divides by what it likes.
    state = b[0].double()
    for t in range(1, 2000):
        state = a[t].double() @ state
        state = state / state.norm()
    last = found[-1].double()
    cosine = (state * last).sum() / last.norm()
    assert cosine.item() == pytest.approx(1.0, abs=1e-3)
    assert not matrix_scan(a, b, 0).isfinite().all()


@pytest.mark.parametrize("size", LENGTHS)
def test_tables(size: int) -> None:
    choose = random.Random(size)
    for _ in range(6):
        states, letters, axis = choose.randint(1, 6), choose.randint(1, 4), choose.randrange(3)
        table = torch.tensor([[choose.randrange(states) for _ in range(letters)] for _ in range(states)])
        shape = [choose.randint(1, 3) for _ in range(3)]
        shape[axis] = size
        symbols = torch.tensor([choose.randrange(letters) for _ in range(math.prod(shape))]).view(shape)
        start = choose.randrange(states)
        expected = table_loop(table.numpy(), symbols.numpy(), axis, start)
        found = table_scan(table.int(), symbols.to(torch.uint8), axis, start)
        assert found.dtype == torch.int64
        assert found.equal(torch.from_numpy(expected.copy()))


def test_a_running_sum_is_one_with_a_factor_of_1() -> None:
    x = drawn(3, 50)
    torch.testing.assert_close(linear_scan(torch.ones(()).double(), x, 1), x.cumsum(1))
    torch.testing.assert_close(linear_scan(torch.ones(()).double(), x, 1, True), x.flip(1).cumsum(1).flip(1))


def test_a_factor_of_0_forgets_everything_even_infinity() -> None:
    a = torch.tensor([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    b = torch.tensor([1.0, 2.0, 3.0, 4.0, math.inf, 6.0])
    assert linear_scan(a, b, 0).tolist() == [1.0, 3.0, 3.0, 7.0, math.inf, math.inf]


def test_nan_reaches_what_comes_after_it_and_nothing_before() -> None:
    b = torch.ones(9)
    b[4] = math.nan
    assert linear_scan(torch.tensor(0.5), b, 0).isnan().tolist() == [False] * 4 + [True] * 5
    assert linear_scan(torch.tensor(0.5), b, 0, True).isnan().tolist() == [True] * 5 + [False] * 4


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_16_bits_are_computed_in_f32(dtype: torch.dtype) -> None:
    a, b = drawn(64, seed=1).sigmoid().to(dtype), drawn(64, seed=2).to(dtype)
    assert linear_scan(a, b, 0).equal(linear_scan(a.float(), b.float(), 0).to(dtype))
    a, b = drawn(64, 3, 3, scale=0.5).to(dtype), drawn(64, 3, 1).to(dtype)
    for projective in (False, True):
        found = matrix_scan(a, b, 0, projective=projective)
        assert found.equal(matrix_scan(a.float(), b.float(), 0, projective=projective).to(dtype))


# --- nothing, and what doesn't fit -------------------------------------------------------------------------


@pytest.mark.parametrize("projective", [False, True])
def test_empty_axes(projective: bool) -> None:
    assert linear_scan(torch.zeros(2, 0), torch.zeros(2, 0), 1).shape == (2, 0)
    assert linear_scan(torch.zeros(0, 3), torch.zeros(0, 3), 1).shape == (0, 3)
    for a, b in [((0, 2, 2), (0, 2, 1)), ((3, 0, 0), (3, 0, 2)), ((3, 2, 2), (3, 2, 0))]:
        assert matrix_scan(torch.zeros(a), torch.zeros(b), 0, projective=projective).shape == b
    table = torch.tensor([[0, 1]])
    assert table_scan(table, torch.zeros(2, 0, dtype=torch.int64), 1).shape == (2, 0)


def test_an_empty_axis_has_a_gradient() -> None:
    a, b = (torch.zeros(2, 0, requires_grad=True) for _ in range(2))
    linear_scan(a, b, 1).sum().backward()
    assert a.grad is not None
    assert a.grad.shape == (2, 0)


@pytest.mark.parametrize(("a", "b"), [((4, 2, 3), (4, 3, 1)), ((4, 2, 2), (4, 3, 1)), ((2, 2), (2, 1))])
def test_matrices_that_dont_fit(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="matrix_scan"):
        matrix_scan(torch.zeros(a), torch.zeros(b), 0)


@pytest.mark.parametrize("start", [-1, 2])
def test_a_start_that_is_no_state(start: int) -> None:
    with pytest.raises(ShapeError, match="2 states"):
        table_scan(torch.tensor([[0], [1]]), torch.tensor([0]), 0, start)


@pytest.mark.parametrize("wrong", [-1, 2])
def test_symbols_and_states_that_arent_there_are_refused(wrong: int) -> None:
    table = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(IndexError):
        table_scan(table, torch.tensor([0, 1, wrong]), 0)
    # Also the last state, which nothing is looked up for.
    with pytest.raises(IndexError):
        table_scan(torch.tensor([[0, wrong], [1, 0]]), torch.tensor([0, 0, 1]), 0)


# --- gradients ---------------------------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("shapes", [((), (1,)), ((1, 3), ()), ((), ()), ((3,), (2, 1))])
def test_gradients_of_linear(size: int, shapes: tuple[tuple[int, ...], ...], reverse: bool) -> None:
    a, b = (drawn(size, *shape, seed=i).requires_grad_() for i, shape in enumerate(shapes))
    a = a.view(*a.shape[:1], *(1,) * (b.dim() - a.dim()), *a.shape[1:])
    b = b.view(*b.shape[:1], *(1,) * (a.dim() - b.dim()), *b.shape[1:])
    assert gradcheck(lambda a, b: linear_scan(a, b, 0, reverse), (a, b))
    assert gradgradcheck(lambda a, b: linear_scan(a, b, 0, reverse), (a, b))


@both_ways
@pytest.mark.parametrize("size", [1, 2, 5])
def test_gradients_of_matrices(size: int, reverse: bool) -> None:
    a, b = drawn(size, 2, 2).requires_grad_(), drawn(2, size, 2, 3, seed=1).requires_grad_()
    assert gradcheck(lambda a, b: matrix_scan(a, b, 1, reverse), (a, b))
    assert gradgradcheck(lambda a, b: matrix_scan(a, b, 1, reverse), (a, b))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@both_ways
@pytest.mark.parametrize("size", [1, 2, 5])
def test_forward_derivatives(size: int, reverse: bool) -> None:
    a, b = drawn(size, 2, 2).requires_grad_(), drawn(2, size, 2, 3, seed=1).requires_grad_()
    for scan in (
        lambda a, b: matrix_scan(a, b, 1, reverse),
        lambda a, b: linear_scan(a[..., :1, :1], b, 1, reverse),
    ):
        assert gradcheck(
            scan, (a, b), check_forward_ad=True, check_backward_ad=False, check_batched_forward_grad=True
        )
        assert gradgradcheck(scan, (a, b), check_fwd_over_rev=True)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(b.detach(), torch.ones_like(b))
        pushed = torch.autograd.forward_ad.unpack_dual(matrix_scan(a.detach(), dual, 1, reverse)).tangent
    torch.testing.assert_close(pushed, matrix_scan(a.detach(), torch.ones_like(b), 1, reverse))


@pytest.mark.parametrize("which", [0, 1])
def test_only_what_needs_a_gradient_gets_one(which: int) -> None:
    operands = [drawn(6), drawn(6, seed=1)]
    operands[which].requires_grad_()
    linear_scan(*operands, 0).sum().backward()
    assert operands[which].grad is not None
    assert operands[1 - which].grad is None


def test_a_projective_scan_refuses_to_be_differentiated() -> None:
    a = drawn(4, 2, 2).requires_grad_()
    found = matrix_scan(a, drawn(4, 2, 1), 0, projective=True)
    with pytest.raises(RuntimeError, match="no gradient"):
        found.sum().backward()


# --- how it runs -------------------------------------------------------------------------------------------


class Counting(TorchDispatchMode):
    """Counts the operations that torch carries out."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


def operations(function: Callable[[int], torch.Tensor], size: int) -> int:
    with Counting() as counting:
        found = function(size)
        if found.requires_grad:
            found.sum().backward()
    return counting.count


@pytest.mark.parametrize(
    "function",
    [
        lambda t: linear_scan(torch.rand(t, requires_grad=True), torch.rand(t), 0),
        lambda t: linear_scan(torch.rand(t, requires_grad=True), torch.rand(t), 0, True),
        lambda t: matrix_scan(torch.rand(t, 2, 2, requires_grad=True), torch.rand(t, 2, 1), 0),
        lambda t: matrix_scan(torch.rand(t, 2, 2), torch.rand(t, 2, 1), 0, projective=True),
        lambda t: table_scan(torch.tensor([[0, 1], [1, 0]]), torch.ones(t, dtype=torch.int64), 0),
    ],
    ids=["linear", "linear from the end", "matrix", "projective", "table"],
)
def test_operations_grow_with_the_logarithm_of_the_length(function: Callable[[int], torch.Tensor]) -> None:
    counts = [operations(function, 2**k) for k in (4, 8, 12)]
    assert counts[2] - counts[1] == counts[1] - counts[0]


SCANS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "linear": lambda x: linear_scan(x.tanh(), x, 0),
    "linear from the end": lambda x: linear_scan(x.tanh(), x, 0, True),
    "matrix": lambda x: matrix_scan(x.tanh().unsqueeze(-1) * torch.eye(3), x.unsqueeze(-1), 0),
    "table": lambda x: table_scan(torch.tensor([[0, 1], [1, 0]]), (x > 0).long(), 0) * x,
}
each_scan = pytest.mark.parametrize("scan", SCANS.values(), ids=SCANS)


@each_scan
def test_they_can_be_mapped_over_another_axis(scan: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = drawn(4, 7, 3).float()
    torch.testing.assert_close(torch.vmap(scan)(x), torch.stack([scan(row) for row in x]))


@each_scan
def test_they_can_be_compiled_whole(scan: Callable[[torch.Tensor], torch.Tensor]) -> None:
    compiled = torch.compile(scan, fullgraph=True, backend="aot_eager")
    mine, theirs = (drawn(7, 3).float().requires_grad_() for _ in range(2))
    found, expected = compiled(mine), scan(theirs)
    torch.testing.assert_close(found, expected)
    found.sum().backward()
    expected.sum().backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize("dynamic", [None, True], ids=["by itself", "from the start"])
@each_scan
def test_compiled_once_they_take_every_length(
    scan: Callable[[torch.Tensor], torch.Tensor], dynamic: bool | None
) -> None:
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(scan, fullgraph=True, backend=counter, dynamic=dynamic)
    for size in (5, 7, 8, 16, 33):
        mine, theirs = (drawn(size, 3).float().requires_grad_() for _ in range(2))
        found, expected = compiled(mine), scan(theirs)
        torch.testing.assert_close(found, expected)
        found.square().sum().backward()
        expected.square().sum().backward()
        torch.testing.assert_close(mine.grad, theirs.grad)
    assert counter.frame_count <= 2


@each_scan
def test_they_can_be_compiled_where_they_are_mapped(scan: Callable[[torch.Tensor], torch.Tensor]) -> None:
    torch._dynamo.reset()
    mapped = torch.vmap(scan, in_dims=1)
    compiled = torch.compile(mapped, fullgraph=True, backend="aot_eager")
    for size in (1, 6):
        mine, theirs = (drawn(size, 4, 3).float().requires_grad_() for _ in range(2))
        found, expected = compiled(mine), mapped(theirs)
        torch.testing.assert_close(found, expected)
        found.square().sum().backward()
        expected.square().sum().backward()
        torch.testing.assert_close(mine.grad, theirs.grad)


@each_scan
def test_they_can_be_exported(scan: Callable[[torch.Tensor], torch.Tensor]) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return scan(x)

    x = drawn(7, 3).float()
    torch.testing.assert_close(torch.export.export(Module(), (x,)).module()(x), scan(x))
