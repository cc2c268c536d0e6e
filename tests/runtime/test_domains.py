"""Value checks: arguments and assertions whose values are outside the domain of their type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import shapescript_runtime as rt

INF, NAN = math.inf, math.nan
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
ARGUMENT = ("a.ss:5:9", "p", "f")


def unit(x: Any) -> Any:
    return rt.check_range(x, 0.0, 1.0, False, False, "[b C] Unit", *ARGUMENT)


def pos(x: Any) -> Any:
    return rt.check_range(x, 0.0, INF, True, True, "[b C] Pos", *ARGUMENT)


def nonneg(x: Any) -> Any:
    return rt.check_range(x, 0.0, INF, False, True, "NonNeg", *ARGUMENT)


def below_two(x: Any) -> Any:
    return rt.check_range(x, -INF, 2.0, True, True, "BelowTwo", *ARGUMENT)


def prob(x: Any) -> Any:
    return rt.check_prob(x, -1, False, "[b C] Prob over C", *ARGUMENT)


def prob_over_b(x: Any) -> Any:
    return rt.check_prob(x, -2, False, "[b C] Prob over b", *ARGUMENT)


def log_prob(x: Any) -> Any:
    return rt.check_prob(x, -1, True, "[b C] LogProb over C", *ARGUMENT)


def binary(x: Any) -> Any:
    return rt.check_binary(x, "[b] Binary", *ARGUMENT)


def additive(x: Any) -> Any:
    return rt.check_additive(x, "[n m] Additive", *ARGUMENT)


def index(x: Any) -> Any:
    return rt.check_index(x, 50257, "[b n] Index[V] with V = 50257", *ARGUMENT)


def mask(x: Any) -> Any:
    return rt.check_mask(x, "[n m] Mask", *ARGUMENT)


CHECKS = (unit, pos, nonneg, below_two, prob, prob_over_b, log_prob, binary, additive, index, mask)


def refused(check: Callable[[Any], Any], value: object) -> rt.DomainError:
    with pytest.raises(rt.DomainError) as raised:
        check(value)
    return raised.value


@pytest.mark.parametrize(
    ("check", "values"),
    [
        (unit, [[0.0, 0.5], [1.0, -0.0]]),
        (pos, [1e-30, 3.0, INF]),
        (nonneg, [0.0, -0.0, INF]),
        (below_two, [-INF, 1.99]),
        (prob, [[0.25, 0.75], [0.0, 1.0]]),
        (prob_over_b, [[0.25, 1.0], [0.75, 0.0]]),
        (log_prob, [[math.log(0.25), math.log(0.75)], [-INF, 0.0]]),
        (binary, [0.0, 1.0, -0.0]),
        (additive, [0.0, -INF]),
        (index, [0, 50256]),
        (mask, [True, False]),
    ],
)
def test_values_inside_the_domain_come_back(check: Callable[[Any], Any], values: list[Any]) -> None:
    value = torch.tensor(values)
    assert check(value) is value


@pytest.mark.parametrize(
    ("check", "values", "message"),
    [
        (unit, [[0.1, 0.2], [0.3, 1.5]], "[b C] Unit; value 1.5 at [1, 1] is above 1"),
        (unit, [[0.1, -0.1], [7.0, 1.5]], "[b C] Unit; value -0.1 at [0, 1] is below 0"),
        (unit, [[0.1, INF]], "[b C] Unit; value inf at [0, 1] is above 1"),
        (unit, [[0.1, NAN]], "[b C] Unit; the value at [0, 1] is NaN"),
        (unit, 1.5, "[b C] Unit; value 1.5 is above 1"),
        (unit, NAN, "[b C] Unit; the value is NaN"),
        (pos, [1.0, 0.0], "[b C] Pos; value 0.0 at [1] isn't above 0"),
        (nonneg, [1.0, -INF], "NonNeg; value -inf at [1] is below 0"),
        (nonneg, [NAN], "NonNeg; the value at [0] is NaN"),
        (below_two, [1.0, 2.0], "BelowTwo; value 2.0 at [1] isn't below 2"),
        (
            prob,
            [[0.25, 0.75], [0.5, 0.25]],
            "[b C] Prob over C; the values at [1, :] sum to 0.75, not 1",
        ),
        (
            prob_over_b,
            [[0.25, 1.0], [0.75, 0.5]],
            "[b C] Prob over b; the values at [:, 1] sum to 1.5, not 1",
        ),
        (prob, [[0.5, 0.5], [1.5, -0.5]], "[b C] Prob over C; value 1.5 at [1, 0] is above 1"),
        (
            log_prob,
            [[-INF, 0.0], [-INF, -INF]],
            "[b C] LogProb over C; the exponentials of the values at [1, :] sum to 0.0, not 1",
        ),
        (log_prob, [[0.5, -INF]], "[b C] LogProb over C; value 0.5 at [0, 0] is above 0"),
        (binary, [0.0, 0.5], "[b] Binary; value 0.5 at [1] is neither 0 nor 1"),
        (binary, [NAN], "[b] Binary; value nan at [0] is neither 0 nor 1"),
        (additive, [[0.0, INF]], "[n m] Additive; value inf at [0, 1] is neither 0 nor -inf"),
        (additive, [[0, -1]], "[n m] Additive; value -1 at [0, 1] is neither 0 nor -inf"),
        (index, [[0, 50257]], "[b n] Index[V] with V = 50257; value 50257 at [0, 1] is above 50256"),
        (index, [[-1, 0]], "[b n] Index[V] with V = 50257; value -1 at [0, 0] is below 0"),
        (index, [1.0], "[b n] Index[V] with V = 50257; it is stored as float32, not as integers"),
        (index, [True], "[b n] Index[V] with V = 50257; it is stored as bool, not as integers"),
        (mask, [1.0], "[n m] Mask; it is stored as float32, not as bool"),
    ],
)
def test_values_outside_the_domain(check: Callable[[Any], Any], values: Any, message: str) -> None:
    error = refused(check, torch.tensor(values))
    assert str(error) == f"a.ss:5:9: argument `p` of `f` should be {message}"
    assert error.argument == "p"
    assert error.location == "a.ss:5:9"
    assert f"{error.expected}; {error.got}" == message or error.got in ("float32", "bool")


def test_an_assertion_says_so() -> None:
    with pytest.raises(rt.DomainError) as raised:
        rt.check_range(torch.tensor([2.0]), 0.0, 1.0, False, False, "Unit", "a.ss:7:5")
    message = "the value asserted with `as` should be Unit; value 2.0 at [0] is above 1"
    assert str(raised.value) == f"a.ss:7:5: {message}"
    assert raised.value.argument is None


def test_what_is_no_tensor_has_no_shape() -> None:
    with pytest.raises(rt.ShapeError) as raised:
        unit([0.5])
    assert str(raised.value) == (
        "a.ss:5:9: argument `p` of `f` should be [b C] Unit, got a value of type list, which isn't a tensor"
    )
    with pytest.raises(rt.ShapeError, match=r"make one of it with torch\.from_numpy"):
        unit(np.ones(3))


def test_host_numbers_have_domains_too() -> None:
    assert unit(0.5) == 0.5
    assert index(3) == 3
    assert refused(unit, 1.1).message == "argument `p` of `f` should be [b C] Unit; value 1.1 is above 1"
    assert refused(index, 2.0).message.endswith("it is stored as float64, not as integers")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_every_float_dtype(dtype: torch.dtype) -> None:
    fine = torch.tensor([[0.25, 0.75], [1.0, 0.0]], dtype=dtype)
    for check in (unit, nonneg, prob):
        check(fine)
    log_prob(fine.log())
    binary(torch.tensor([0.0, 1.0], dtype=dtype))
    additive(torch.tensor([0.0, -INF], dtype=dtype))
    error = refused(unit, torch.tensor([0.5, 1.1], dtype=dtype))
    assert "value 1.1 at [1] is above 1" in str(error)
    assert "sum to 0.75" in str(refused(prob, torch.tensor([0.25, 0.5], dtype=dtype)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_softmax_sums_to_1_closely_enough(dtype: torch.dtype) -> None:
    scores = torch.randn(8, 5000, generator=torch.Generator().manual_seed(0)).to(dtype)
    prob(scores.softmax(-1))
    log_prob(scores.log_softmax(-1))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_sum_may_miss_1_by_the_square_root_of_epsilon(dtype: torch.dtype) -> None:
    miss = math.sqrt(torch.finfo(dtype).eps)
    prob(torch.tensor([0.5, 0.5 - 0.9 * miss], dtype=dtype))
    refused(prob, torch.tensor([0.5, 0.5 - 1.2 * miss], dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_an_end_is_compared_as_the_dtype_stores_it(dtype: torch.dtype) -> None:
    def tenth(x: torch.Tensor) -> object:
        return rt.check_range(x, -0.1, 0.1, False, False, "Tenth", "a.ss:1:1")

    tenth(torch.tensor([-1.0, 1.0], dtype=dtype).clamp(-0.1, 0.1))
    more = torch.nextafter(torch.tensor(0.1, dtype=dtype), torch.tensor(1.0, dtype=dtype))
    assert "is above 0.1" in str(refused(tenth, more))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_every_integer_dtype(dtype: torch.dtype) -> None:
    unit(torch.tensor([0, 1], dtype=dtype))
    prob(torch.tensor([[0, 1, 0], [1, 0, 0]], dtype=dtype))
    binary(torch.tensor([0, 1], dtype=dtype))
    additive(torch.tensor([0, 0], dtype=dtype))
    index(torch.tensor([0, 100], dtype=dtype))
    assert "value 2 at [1] is above 1" in str(refused(unit, torch.tensor([1, 2], dtype=dtype)))
    assert "value 2 at [0] is neither 0 nor 1" in str(refused(binary, torch.tensor([2], dtype=dtype)))
    assert "sum to 2.0, not 1" in str(refused(prob, torch.tensor([1, 1], dtype=dtype)))
    assert f"stored as {str(dtype)[6:]}" in str(refused(mask, torch.tensor([1], dtype=dtype)))


def test_whole_numbers_and_ends_between_them() -> None:
    def check(x: torch.Tensor, lo: float, hi: float, is_open: bool) -> object:
        return rt.check_range(x, lo, hi, is_open, is_open, "R", "a.ss:1:1")

    check(torch.tensor([1, 2]), 0.5, 2.5, False)
    check(torch.tensor([1, 2]), 0.0, 3.0, True)
    check(torch.tensor([0, 255], dtype=torch.uint8), -10.0, 1000.0, False)
    with pytest.raises(rt.DomainError, match=r"value 0 at \[0\] is below 1"):
        check(torch.tensor([0]), 0.5, 2.5, False)
    with pytest.raises(rt.DomainError, match=r"value 3 at \[0\] is above 2"):
        check(torch.tensor([3]), 0.0, 3.0, True)
    with pytest.raises(rt.DomainError, match=r"value 9007199254740993 at \[0\] is above 9007199254740992"):
        check(torch.tensor([2**53 + 1]), 0, 2**53, False)
    with pytest.raises(rt.DomainError, match=r"value 5 at \[0\] is below 300"):
        check(torch.tensor([5], dtype=torch.uint8), 300.0, 400.0, False)


def test_booleans_are_numbers_to_a_range() -> None:
    unit(torch.tensor([True, False]))
    binary(torch.tensor([True, False]))


@pytest.mark.parametrize("check", CHECKS)
def test_empty_tensors_pass(check: Callable[[Any], Any]) -> None:
    dtype = {"index": torch.int64, "mask": torch.bool}.get(check.__name__, torch.float32)
    check(torch.empty(0, 3, dtype=dtype))
    check(torch.empty(2, 0, dtype=dtype))


def test_the_first_value_is_found_in_any_layout() -> None:
    x = torch.full((3, 4), 0.5)
    x[2, 0] = x[1, 3] = 2.0
    assert "at [1, 3]" in str(refused(unit, x))
    assert "at [0, 2]" in str(refused(unit, x.t()))
    assert "at [1, 1]" in str(refused(unit, x[:, ::2] * 0 + torch.tensor([[0, 0], [0, 2], [2, 0]])))


def test_a_check_leaves_no_trace_in_the_gradient() -> None:
    x = torch.full((2, 2), 0.5, requires_grad=True)
    for check in (unit, nonneg, prob):
        y = check(x * 1.0)
        y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_the_elements_of_a_vmap_are_checked_together() -> None:
    x = torch.full((3, 2, 4), 0.25)
    assert torch.vmap(prob)(x).shape == (3, 2, 4)
    assert torch.vmap(torch.vmap(unit), in_dims=1)(x).shape == (2, 3, 4)
    x[2, 1, 0] = 1.5
    assert "value 1.5 at [2, 1, 0] is above 1" in str(refused(torch.vmap(unit), x))
    assert "value 1.5 at [1, 2, 0] is above 1" in str(refused(torch.vmap(unit, in_dims=1), x))
    x[2, 1, 0] = 0.5
    assert "the values at [2, 1, :] sum to 1.25" in str(refused(torch.vmap(prob), x))


def test_gradient_transforms() -> None:
    x = torch.full((2, 2), 0.5)
    assert torch.func.grad(lambda x: (unit(x) * 2).sum())(x).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    refused(torch.func.grad(lambda x: unit(x * 4).sum()), x)
    refused(torch.vmap(torch.func.grad(lambda x: unit(x * 4).sum())), x)


@pytest.mark.parametrize("check", CHECKS)
def test_compiled_checks_still_check(check: Callable[[Any], Any]) -> None:
    good: torch.Tensor = {
        "index": torch.tensor([[0, 3], [4, 5]]),
        "mask": torch.tensor([[True], [False]]),
        "log_prob": torch.full((2, 2), math.log(0.5)),
        "binary": torch.ones(2, 2),
        "additive": torch.zeros(2, 2),
    }.get(check.__name__, torch.full((2, 2), 0.5))
    bad = good.to(torch.float32) * NAN
    compiled = torch.compile(lambda x: check(x) * 1, backend="eager")
    assert torch.equal(compiled(good), good * 1)
    with pytest.raises(rt.DomainError) as raised:
        check(bad)
    assert str(refused(compiled, bad)) == str(raised.value)


def test_a_compiled_vmap_still_checks() -> None:
    compiled = torch.compile(torch.vmap(lambda x: unit(x) * 1), backend="eager")
    assert compiled(torch.full((2, 3), 0.5)).shape == (2, 3)
    assert "at [1, 2] is above 1" in str(refused(compiled, torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])))


@pytest.mark.parametrize("strict", [False, True])
def test_exported_programs_carry_the_checks(strict: bool) -> None:
    class Module(torch.nn.Module):
        def forward(self, p: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
            return prob(p) + index(ids)

    good = torch.full((2, 2), 0.5), torch.tensor([[1, 2], [3, 4]])
    program = torch.export.export(Module(), good, strict=strict).module()
    assert torch.equal(program(*good), good[0] + good[1])
    with pytest.raises(RuntimeError, match=r"argument `p` of `f` should be \[b C\] Prob over C"):
        program(good[0] * 1.5, good[1])
    with pytest.raises(RuntimeError, match=r"argument `p` of `f` should be \[b n\] Index\[V\]"):
        program(good[0], -good[1])


def test_tensors_without_values_pass() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    assert unit(torch.empty(2, 2, device="meta")).is_meta
    with FakeTensorMode():
        assert prob(torch.empty(2, 2)).shape == (2, 2)


@pytest.mark.gpu
def test_on_a_gpu_nothing_waits() -> None:
    x = torch.full((2, 2), 0.5, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        unit(x)
        prob(x)


@pytest.mark.parametrize("big", [1e6, 3e38])
def test_an_end_beyond_the_dtype_leaves_room_for_what_is_finite(big: float) -> None:
    def check(x: torch.Tensor) -> Any:
        return rt.check_range(x, -big, big, True, True, "[n] Wide f16", *ARGUMENT)

    largest = torch.finfo(torch.float16).max
    assert check(torch.tensor([largest, -largest], dtype=torch.float16)) is not None
    for outside in (INF, -INF, NAN):
        with pytest.raises(rt.DomainError):
            check(torch.tensor([1.0, outside], dtype=torch.float16))
    with pytest.raises(rt.DomainError):
        rt.check_range(torch.tensor([INF], dtype=torch.float16), big, 2 * big, False, False, "Far", *ARGUMENT)
