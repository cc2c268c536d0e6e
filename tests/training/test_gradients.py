"""value_and_grad, and what gradients can do."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import shapescript_runtime as rt
from tests.training.mlp import C, D, Hd, Mlp, forward, images


def loss(m: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(forward(m, x, rt.Eval), y)


def torchs(m: Mlp, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """The gradients as torch's backward leaves them."""
    m = copy.deepcopy(m)
    loss(m, x, y).backward()
    return [param.grad for param in m.parameters()]  # type: ignore[misc]


@pytest.fixture
def model() -> Mlp:
    return Mlp.init(seed=0)


@pytest.fixture
def gradient(model: Mlp) -> rt.Grad:
    return rt.value_and_grad(loss, model, *images())[1]


def test_the_value_and_the_gradient_are_torchs(model: Mlp) -> None:
    x, y = images()
    value, gradient = rt.value_and_grad(loss, model, x, y)
    assert torch.equal(value, loss(model, x, y))
    assert not value.requires_grad
    for found, expected in zip(gradient.values(), torchs(model, x, y), strict=True):
        assert torch.equal(found, expected)


def test_its_fields_are_attributes_and_items_in_order(gradient: rt.Grad) -> None:
    assert list(gradient) == ["w1", "w2"]
    assert gradient.w1 is gradient["w1"]
    assert dict(gradient)["w2"] is gradient.w2
    assert (gradient.w1.shape, gradient.w1.dtype) == ((D, Hd), torch.float32)
    with pytest.raises(AttributeError):
        gradient.mean  # noqa: B018 (buffers have no gradient)
    assert repr(gradient) == "Grad[Mlp](w1: (12, 8) float32, w2: (8, 3) float32)"


def test_no_grad_is_read_or_written(model: Mlp) -> None:
    model.w1.grad = torch.ones(D, Hd)
    x, y = images()
    _, gradient = rt.value_and_grad(loss, model, x, y)
    assert torch.equal(gradient.w1, torchs_of(model, x, y))
    assert torch.equal(model.w1.grad, torch.ones(D, Hd))
    assert model.w2.grad is None


def torchs_of(m: Mlp, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fresh = Mlp.init(seed=0)
    return torchs(fresh, x, y)[0]


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_it_differentiates_where_the_caller_does_not(model: Mlp, context: Any) -> None:
    x, y = images()
    _, expected = rt.value_and_grad(loss, model, x, y)
    with context():
        value, gradient = rt.value_and_grad(loss, model, x, y)
        assert torch.equal(rt.grad_norm(gradient), rt.grad_norm(expected))
    assert torch.equal(gradient.w1, expected.w1)
    assert not value.requires_grad


def test_params_that_are_not_read_get_zeros(model: Mlp) -> None:
    _, gradient = rt.value_and_grad(lambda m: m.w1.sum(), model)
    assert torch.equal(gradient.w1, torch.ones(D, Hd))
    assert torch.equal(gradient.w2, torch.zeros(Hd, C))
    _, gradient = rt.value_and_grad(lambda m: torch.tensor(2.0), model)
    assert torch.equal(gradient.w1, torch.zeros(D, Hd))


def test_frozen_params_get_zeros(model: Mlp) -> None:
    x, y = images()
    model.w1.requires_grad_(False)
    _, gradient = rt.value_and_grad(loss, model, x, y)
    assert torch.equal(gradient.w1, torch.zeros(D, Hd))
    assert torch.equal(gradient.w2, torchs_of_second(x, y))
    assert not gradient.w1.requires_grad


def torchs_of_second(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torchs(Mlp.init(seed=0), x, y)[1]


def test_inside_another_it_is_differentiated_too(model: Mlp) -> None:
    """A penalty on the gradient's size, whose gradient needs the second derivative."""
    x, y = images()

    def penalty(m: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        value, gradient = rt.value_and_grad(loss, m, x, y)
        return value + rt.grad_norm(gradient)

    value, gradient = rt.value_and_grad(penalty, model, x, y)
    params = [model.w1, model.w2]
    inner = torch.autograd.grad(total := loss(model, x, y), params, create_graph=True)
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in inner]))
    expected = torch.autograd.grad(total + norm, params)
    torch.testing.assert_close(value, (total + norm).detach())
    torch.testing.assert_close(list(gradient.values()), list(expected))
    assert not gradient.w1.requires_grad


def test_threads_do_not_count_as_nested(model: Mlp) -> None:
    x, y = images()
    values = []

    def outer(m: Any) -> torch.Tensor:
        thread = threading.Thread(
            target=lambda: values.append(rt.value_and_grad(loss, Mlp.init(seed=0), x, y)[0])
        )
        thread.start()
        thread.join()
        return m.w1.sum()

    rt.value_and_grad(outer, model)
    assert not values[0].requires_grad


def test_a_function_that_fails_leaves_nothing_behind(model: Mlp) -> None:
    def fails(m: Any) -> torch.Tensor:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        rt.value_and_grad(fails, model)
    value, _ = rt.value_and_grad(loss, model, *images())
    assert not value.requires_grad


@pytest.mark.parametrize(
    ("function", "what"),
    [(lambda m: m.w1, r"\(12, 8\) float32"), (lambda m: 2.0, "the float 2.0")],
)
def test_the_value_is_a_single_number(model: Mlp, function: Any, what: str) -> None:
    with pytest.raises(rt.ShapeError, match=f"whose value is a \\[\\] tensor, got {what}"):
        rt.value_and_grad(function, model)


def test_only_models_are_differentiated_by() -> None:
    with pytest.raises(
        rt.KindError, match="argument `m` of `value_and_grad` should be a model, got a Linear"
    ):
        rt.value_and_grad(lambda m: m.weight.sum(), nn.Linear(2, 2))


class TestArithmetic:
    def test_it_is_that_of_the_tensors(self, gradient: rt.Grad) -> None:
        scale = torch.tensor(3.0)
        cases: list[tuple[rt.Grad, Any]] = [
            (gradient + gradient, lambda t: t + t),
            (gradient - gradient * 0.5, lambda t: t - t * 0.5),
            (-gradient, lambda t: -t),
            (gradient * 2, lambda t: t * 2),
            (2 * gradient, lambda t: t * 2),
            (gradient * scale, lambda t: t * 3),
            (scale * gradient, lambda t: t * 3),
            (gradient / scale, lambda t: t / 3),
            (gradient / 4, lambda t: t / 4),
            (numpy.float32(2.0) * gradient, lambda t: t * 2),
        ]
        for found, expected in cases:
            assert isinstance(found, rt.Grad)
            assert list(found) == ["w1", "w2"]
            for name in gradient:
                assert torch.equal(found[name], expected(gradient[name]))

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda g: g + 1,
            lambda g: g * g,
            lambda g: 2 / g,
            lambda g: g * torch.ones(3),
            lambda g: torch.ones(3) * g,
            lambda g: g * True,
        ],
    )
    def test_nothing_else_is_defined(self, gradient: rt.Grad, wrong: Any) -> None:
        with pytest.raises(TypeError):
            wrong(gradient)

    def test_gradients_of_two_models_do_not_mix(self, gradient: rt.Grad) -> None:
        class Other(rt.Model):
            _ss_fields = (rt.Field("w1", "param", (D, Hd), torch.float32, rt.zeros()),)

        _, other = rt.value_and_grad(lambda m: m.w1.sum(), Other.init(seed=0))
        with pytest.raises(rt.KindError, match="a gradient of the model `Mlp`, got one of a model `Other`"):
            gradient + other

    def test_sixteen_bits_stay_sixteen(self) -> None:
        class Half(rt.Model):
            _ss_fields = (rt.Field("w", "param", (300,), torch.float16, rt.full(200.0)),)

        _, gradient = rt.value_and_grad(lambda m: (m.w * m.w).sum() / 300, Half.init(seed=0))
        big = gradient * 200
        assert (big * torch.tensor(2.0, dtype=torch.float64)).w.dtype == torch.float16
        norm = rt.grad_norm(big)
        assert norm.dtype == torch.float32
        assert torch.isfinite(norm)


class TestNorm:
    def test_it_is_torchs(self, gradient: rt.Grad) -> None:
        assert torch.equal(rt.grad_norm(gradient), nn.utils.get_total_norm(gradient.values()))

    def test_a_gradient_changed_in_place_has_another(self, gradient: rt.Grad) -> None:
        before = rt.grad_norm(gradient)
        assert rt.grad_norm(gradient) is before
        gradient.w1.mul_(3)
        assert rt.grad_norm(gradient) > before

    @pytest.mark.parametrize("most", [0.01, 1e6])
    def test_clipping_is_torchs(self, model: Mlp, gradient: rt.Grad, most: float) -> None:
        kept = {name: tensor.clone() for name, tensor in gradient.items()}
        clipped = rt.clip_norm(gradient, most)
        for param, tensor in zip(model.parameters(), kept.values(), strict=True):
            param.grad = tensor.clone()
        nn.utils.clip_grad_norm_(model.parameters(), most)
        for name, param in model.named_parameters():
            assert torch.equal(clipped[name], param.grad)  # type: ignore[arg-type]
            assert torch.equal(gradient[name], kept[name])

    def test_only_gradients_have_one(self) -> None:
        with pytest.raises(rt.KindError, match="argument `g` of `norm` should be a gradient"):
            rt.grad_norm(torch.zeros(3))
        with pytest.raises(rt.KindError, match="argument `g` of `clip_norm` should be a gradient"):
            rt.clip_norm({"w1": torch.zeros(3)}, 1.0)


class TestChecks:
    """What `g: Grad[Mlp]` takes."""

    def test_a_gradient_of_the_model_is_taken(self, gradient: rt.Grad) -> None:
        rt.check_grad(gradient, Mlp, "a.ss:1:1", "g", "f")

    def test_anything_else_is_refused(self) -> None:
        with pytest.raises(rt.KindError) as raised:
            rt.check_grad({}, Mlp, "a.ss:1:1", "g", "f")
        assert str(raised.value) == (
            "a.ss:1:1: argument `g` of `f` should be a gradient of the model `Mlp`, got a dict"
        )

    def test_tensors_of_other_shapes_are_refused(self, gradient: rt.Grad) -> None:
        gradient.w1 = torch.zeros(2)
        with pytest.raises(
            rt.ShapeError, match=r"`w1` is \(12, 8\) float32, got one whose `w1` is \(2,\) float32"
        ):
            rt.check_grad(gradient, Mlp, "a.ss:1:1", "g", "f")


def test_gradients_are_copied_and_pickled(gradient: rt.Grad) -> None:
    for other in (copy.deepcopy(gradient), pickle.loads(pickle.dumps(gradient))):
        assert list(other) == ["w1", "w2"]
        assert torch.equal(other.w1, gradient.w1)
        assert torch.equal((other + gradient).w1, gradient.w1 * 2)
