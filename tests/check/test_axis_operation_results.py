"""What operations along an axis, joins, losses, gathers and new tensors compute, against torch called by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F

import shapescript
from shapescript_check import Checker
from shapescript_check.types.values import ResultsType, TensorType, ValueType


@functools.cache
def compiled(parameters: str, expression: str, before: str = "") -> tuple[Callable[..., Any], ValueType]:
    """The function that gives an expression, and the type that the checker gives it."""
    text = f"devices cpu\n{before}\nfn f({parameters}) = {expression}\n"
    program = Checker().check("f.ss", text)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    return shapescript.compile(text).f, program.bodies["f"].body.returns


def assert_gives(parameters: str, expression: str, arguments: tuple[Any, ...], expected: Any) -> None:
    """Checks a result, and that it is stored and shaped as its type says."""
    function, kind = compiled(parameters, expression)
    result = function(*arguments)
    torch.testing.assert_close(result, expected, rtol=0.0, atol=0.0, equal_nan=True)
    assert isinstance(kind, TensorType)
    assert kind.dtype is not None
    assert str(result.dtype) == f"torch.{kind.dtype.torch_name}"
    assert result.ndim == kind.rank


def floats(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def ints(high: int, *shape: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(high)).to(dtype)


X = floats(3, 4)
KEEP = floats(3, 4, seed=1) > 0.3


@pytest.mark.parametrize(
    ("parameters", "expression", "x", "by_hand"),
    [
        ("x: [b n]", "sum(x, over=b)", X, lambda x: x.sum(0)),
        ("x: [b n]", "sum(x)", X, lambda x: x.sum()),
        ("x: [b n] Mask", "sum(x, over=n)", KEEP, lambda x: x.sum(1)),
        ("x: [b n] u8", "sum(x, over=n)", ints(250, 3, 4, dtype=torch.uint8), lambda x: x.long().sum(1)),
        ("x: [b n] i16", "prod(x, over=b)", ints(9, 3, 4, dtype=torch.int16), lambda x: x.prod(0)),
        ("x: [b n] Mask", "prod(x)", KEEP, lambda x: x.all().long()),
        ("x: [b n] i64", "mean(x, over=n)", ints(9, 3, 4), lambda x: x.float().mean(1)),
        ("x: [b n] u8", "mean(x)", ints(250, 3, 4, dtype=torch.uint8), lambda x: x.float().mean()),
        ("x: [b n] bf16", "mean(x, over=n)", X.bfloat16(), lambda x: x.mean(1)),
        ("x: [b n]", "std(x, over=n)", X, lambda x: x.std(1)),
        ("x: [b n] i32", "var(x)", ints(9, 3, 4, dtype=torch.int32), lambda x: x.float().var()),
        ("x: [b n]", "norm(x, over=n)", X, lambda x: torch.linalg.vector_norm(x, dim=1)),
        ("x: [b n] i64", "norm(x)", ints(9, 3, 4), lambda x: torch.linalg.vector_norm(x.float())),
        ("x: [b n]", "logsumexp(x, over=b)", X, lambda x: x.logsumexp(0)),
        ("x: [b n]", "logsumexp(x)", X, lambda x: x.logsumexp((0, 1))),
        ("x: []", "logsumexp(x)", torch.tensor(2.5), lambda x: x),
        ("x: [b n] i64", "logsumexp(x, over=n)", ints(9, 3, 4), lambda x: x.float().logsumexp(1)),
        ("x: [b n]", "max(x, over=n)", X, lambda x: x.max(1).values),
        ("x: [b n] i8", "min(x)", ints(9, 3, 4, dtype=torch.int8), lambda x: x.min()),
        ("x: [b n] Mask", "any(x, over=b)", KEEP, lambda x: x.any(0)),
        ("x: [b n] Mask", "all(x)", KEEP, lambda x: x.all()),
        ("x: [b n]", "argmax(x, over=b)", X, lambda x: x.argmax(0)),
        ("x: [n]", "argmin(x)", X[0], lambda x: x.argmin(0)),
        ("x: [b n] Mask", "cumsum(x, over=n)", KEEP, lambda x: x.cumsum(1)),
        (
            "x: [b n] u8",
            "cumprod(x, over=b)",
            ints(250, 3, 4, dtype=torch.uint8),
            lambda x: x.long().cumprod(0),
        ),
        ("x: [b n]", "softmax(x, over=n)", X, lambda x: x.softmax(1)),
        ("x: [b n] i64", "log_softmax(x, over=b)", ints(9, 3, 4), lambda x: x.float().log_softmax(0)),
        ("x: [b n]", "flip(x, over=n)", X, lambda x: x.flip(1)),
        ("x: [b n]", "roll(x, -1, over=b)", X, lambda x: x.roll(-1, 0)),
        ("x: [b n]", "tril(x, -1)", X, lambda x: x.tril(-1)),
        ("x: [b n] Mask", "triu(x)", KEEP, lambda x: x.triu()),
        ("x: [b n] f16", "zeros_like(x)", X.half(), torch.zeros_like),
        ("x: [b n] Mask", "ones_like(x)", KEEP, torch.ones_like),
    ],
)
def test_one_operand(parameters: str, expression: str, x: torch.Tensor, by_hand: Callable[..., Any]) -> None:
    assert_gives(parameters, expression, (x,), by_hand(x))


def test_order_is_stable_with_nan_last() -> None:
    nan = float("nan")
    x = torch.tensor([2.0, nan, 0.0, 2.0, -0.0, float("inf"), -1.0])
    assert_gives("x: [n]", "argsort(x, over=n)", (x,), torch.tensor([6, 2, 4, 0, 3, 5, 1]))
    assert_gives("x: [n]", "sort(x, over=n)", (x,), x[torch.tensor([6, 2, 4, 0, 3, 5, 1])])


def test_topk_puts_nan_first_and_equal_values_by_position() -> None:
    text = (
        "devices cpu\n\n"
        "fn values(x: [b n], k: int):\n    v, i = topk(x, k, over=n)\n    return v\n\n"
        "fn places(x: [b n]):\n    v, i = topk(x, 3, over=n)\n    return i\n"
    )
    module = shapescript.compile(text)
    x = torch.tensor([[1.0, float("nan"), 1.0, 0.5], [0.0, -0.0, 3.0, 0.0]])
    assert module.places(x).tolist() == [[1, 0, 2], [2, 0, 1]]
    torch.testing.assert_close(module.values(x, 1), x[:, 1:3].max(1, keepdim=True).values, equal_nan=True)
    with pytest.raises(shapescript.ShapeError, match="not 5"):
        module.values(x, 5)


def test_topk_gives_two_results() -> None:
    program = Checker().check("f.ss", "fn f(x: [n] bf16):\n    v, i = topk(x, 2, over=n)\n    return v\n")
    bound = program.bodies["f"].body.statements[0].value.type  # type: ignore[union-attr]
    assert isinstance(bound, ResultsType)
    assert [str(t) for t in bound.items] == ["[2] bf16", "[2] Index[n]"]


# --- losses ------------------------------------------------------------------------------------------------

Z = floats(2, 5, 3)
Y = ints(3, 2, 5)
P = floats(2, 5, 3, seed=2).softmax(2)
CLASSES = "y: [b t] Index[c]"


def entropy(z: torch.Tensor, y: torch.Tensor, **more: Any) -> torch.Tensor:
    """The losses with the classes where torch wants them."""
    return F.cross_entropy(z.movedim(-1, 1), y if y.dim() < z.dim() else y.movedim(-1, 1), **more)


@pytest.mark.parametrize(
    ("parameters", "arguments", "expected"),
    [
        (f"z: [b t c], {CLASSES}", (Z, Y), (Z, Y)),
        (f"z: [b c t], {CLASSES}", (Z.mT, Y), (Z, Y)),
        (f"z: [c b t], {CLASSES}", (Z.movedim(2, 0), Y), (Z, Y)),
        ("z: [b t c], y: [t b] Index[c]", (Z, Y.mT), (Z, Y)),
        ("z: [b t c], y: [b t] i32", (Z, Y.int()), (Z, Y)),
        ("z: [b t c], y: [b t c] Prob over c", (Z, P), (Z, P)),
        ("z: [b t c], y: [c t b] Prob over c", (Z, P.permute(2, 1, 0)), (Z, P)),
        ("z: [c t b], y: [b t c] Prob over c", (Z.permute(2, 1, 0), P), (Z, P)),
    ],
)
def test_cross_entropy(parameters: str, arguments: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    function, _ = compiled(parameters, "cross_entropy(z, y, over=c)")
    torch.testing.assert_close(function(*arguments), entropy(*expected))
    each, kind = compiled(parameters, "cross_entropy(z, y, over=c, per_example=true)")
    losses = entropy(*expected, reduction="none")
    assert str(kind) in ("[b t] NonNeg", "[t b] NonNeg")
    torch.testing.assert_close(each(*arguments), losses if str(kind) == "[b t] NonNeg" else losses.mT)


def test_cross_entropy_of_few_axes() -> None:
    z, y = Z[0], Y[0]
    assert_gives("z: [t c], y: [t] Index[c]", "cross_entropy(z, y, over=c)", (z, y), F.cross_entropy(z, y))
    assert_gives("z: [c t], y: [t] Index[c]", "cross_entropy(z, y, over=c)", (z.mT, y), F.cross_entropy(z, y))
    one = F.cross_entropy(z[0], torch.tensor(2))
    assert_gives("z: [c]", "cross_entropy(z, 2, over=c)", (z[0],), one)
    whole = ints(9, 5, 3)
    expected = F.cross_entropy(whole.float(), y)
    assert_gives("z: [t c] i64, y: [t] Index[c]", "cross_entropy(z, y, over=c)", (whole, y), expected)


def test_mse_loss_lines_up_by_name_and_converts() -> None:
    y = floats(3, 4, seed=5)
    assert_gives("x: [b n], y: [n b]", "mse_loss(x, y)", (X, y.mT), F.mse_loss(X, y))
    assert_gives(
        "x: [b n], y: [n b] f64", "mse_loss(x, y)", (X, y.mT.double()), F.mse_loss(X.double(), y.double())
    )
    i, j = ints(9, 3, 4), ints(7, 3, 4)
    assert_gives("x: [b n] i64, y: [b n] i64", "mse_loss(x, y)", (i, j), F.mse_loss(i.float(), j.float()))
    assert_gives("x: [b n]", "mse_loss(mean(x), 1)", (X,), (X.mean() - 1) ** 2)


# --- gathers, scatters, joins ------------------------------------------------------------------------------


def test_gather_and_its_adjoint() -> None:
    i = ints(4, 3, 6)
    assert_gives("x: [b n], i: [b k] Index[n]", "gather(x, i, over=n)", (X, i), X.gather(1, i))
    assert_gives("x: [b n], i: [b k] u8", "gather(x, i, over=n)", (X, i.byte()), X.gather(1, i))
    values = floats(3, 6, seed=3)
    given = "x: [b n], i: [b k] Index[n], v: [b k]"
    assert_gives(given, "scatter_add(x, i, v, over=n)", (X, i, values), X.scatter_add(1, i, values))
    once = torch.stack([torch.randperm(4)[:2] for _ in range(3)])
    assert_gives(
        given, "scatter(x, i, v, over=n)", (X, once, values[:, :2]), X.scatter(1, once, values[:, :2])
    )
    masks = (KEEP, once, KEEP[:, :2])
    given = "x: [b n] Mask, i: [b k] Index[n], v: [b k] Mask"
    assert_gives(given, "scatter(x, i, v, over=n)", masks, KEEP.scatter(1, once, KEEP[:, :2]))


def test_index_add_takes_ids_of_any_number_of_axes() -> None:
    i, values = ints(4, 2, 5), floats(3, 2, 5, seed=4)
    expected = X.clone()
    for a in range(2):
        for b in range(5):
            expected[:, i[a, b]] += values[:, a, b]
    function, _ = compiled("x: [d v], i: [a b] Index[v], s: [d a b]", "index_add(x, i, s, over=v)")
    torch.testing.assert_close(function(X, i, values), expected)
    row = floats(4, seed=6)
    changed = X.clone()
    changed[2] += row
    assert_gives(
        "x: [v d], i: [] i32, s: [d]",
        "index_add(x, i, s, over=v)",
        (X, torch.tensor(2, dtype=torch.int32), row),
        changed,
    )


def test_joins() -> None:
    y = floats(3, 2, seed=7)
    assert_gives("x: [b n], y: [b m]", "cat(x, y, x, over=n)", (X, y), torch.cat((X, y, X), 1))
    whole = ints(9, 3, 4, dtype=torch.int16)
    assert_gives("x: [b n], y: [b n] i16", "cat(x, y, over=b)", (X, whole), torch.cat((X, whole.float())))
    assert_gives("x: [b n]", "stack(x, x, over=copy)", (X,), torch.stack((X, X)))
    assert_gives("x: []", "stack(x, 2, 0.5, over=k)", (torch.tensor(1.0),), torch.tensor([1.0, 2.0, 0.5]))


def test_one_hot() -> None:
    i = ints(4, 2, 3)
    function, _ = compiled("i: [a b] Index[V]", "one_hot(i)", "dim V = 4")
    torch.testing.assert_close(function(i), F.one_hot(i, 4).float())


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("zeros([n 2*b])", torch.zeros(4, 6)),
        ("ones([(b n) 2])", torch.ones(12, 2)),
        ("ones([])", torch.tensor(1.0)),
        ("full([b], 2)", torch.tensor([2, 2, 2])),
        ("full([b], n / 8)", torch.full((3,), 0.5)),
        ("full([2], true)", torch.tensor([True, True])),
        ("full([2], -inf)", torch.full((2,), -torch.inf)),
        ("eye(n)", torch.eye(4)),
        ("iota(b + 1)", torch.arange(4)),
    ],
)
def test_new_tensors(expression: str, expected: torch.Tensor) -> None:
    assert_gives("x: [b n]", expression, (X,), expected)


# --- gradients ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "sum(x, over=n)",
        "prod(x, over=n)",
        "mean(x)",
        "std(x, over=n)",
        "var(x)",
        "norm(x, over=b)",
        "logsumexp(x)",
        "max(x, over=n)",
        "min(x)",
        "cumsum(x, over=n)",
        "cumprod(x, over=b)",
        "softmax(x, over=n)",
        "log_softmax(x, over=b)",
        "sort(x, over=n)",
        "flip(x, over=n)",
        "roll(x, 1, over=n)",
        "tril(x)",
        "cat(x, x, over=b)",
        "stack(x, x, over=k)",
        "gather(x, argsort(x, over=n), over=n)",
        "scatter(x, argsort(x, over=n), x, over=n)",
        "scatter_add(x, argsort(x, over=n), x, over=n)",
        "index_add(x, iota(b), x, over=b)",
        "mse_loss(x, zeros_like(x))",
        "cross_entropy(x, argmax(x, over=n), over=n)",
        "cross_entropy(x, softmax(x, over=n), over=n, per_example=true)",
    ],
)
def test_gradients_flow_through(expression: str) -> None:
    function, _ = compiled("x: [b n] f64", expression)
    x = floats(3, 4).double().requires_grad_()
    assert torch.autograd.gradcheck(function, (x,))
