"""Optimizer state: torch's optimizers, without `.grad` and bound to a type of model."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

import shapescript_runtime as rt
from tests.training.mlp import C, D, Hd, Mlp, images
from tests.training.test_gradients import loss

MAKERS: dict[str, tuple[Any, Any]] = {
    "adamw": (lambda m: rt.adamw(m, lr=0.01), lambda p: torch.optim.AdamW(p, lr=0.01, fused=True)),
    "adamw with everything": (
        lambda m: rt.adamw(m, lr=0.01, beta1=0.8, beta2=0.9, eps=1e-6, weight_decay=0.1, amsgrad=True),
        lambda p: torch.optim.AdamW(
            p, lr=0.01, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.1, amsgrad=True, fused=True
        ),
    ),
    "sgd": (lambda m: rt.sgd(m, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.1, fused=True)),
    "sgd with everything": (
        lambda m: rt.sgd(m, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True, fused=True),
    ),
    "sgd with dampening": (
        lambda m: rt.sgd(m, lr=0.1, momentum=0.9, dampening=0.3),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.3, fused=True),
    ),
}


def stepped(model: Mlp, optimizer: rt.Optimizer, steps: int = 1) -> None:
    x, y = images()
    for _ in range(steps):
        rt.update(model, optimizer, rt.value_and_grad(loss, model, x, y)[1])


def values(model: nn.Module) -> list[torch.Tensor]:
    return [param.detach().clone() for param in model.parameters()]


def equal(these: list[torch.Tensor], those: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(these, those, strict=True))


@pytest.mark.parametrize("name", MAKERS)
def test_a_step_is_torchs(name: str) -> None:
    ours, theirs = Mlp.init(seed=0), Mlp.init(seed=0)
    make, torchs = MAKERS[name]
    optimizer, reference = make(ours), torchs(list(theirs.parameters()))
    params = list(ours.parameters())
    x, y = images()
    for _ in range(5):
        stepped(ours, optimizer)
        reference.zero_grad()
        loss(theirs, x, y).backward()
        reference.step()
    assert equal(values(ours), values(theirs))
    assert all(a is b for a, b in zip(ours.parameters(), params, strict=True))
    assert all(param.grad is None for param in params)
    assert optimizer.steps == 5


def test_who_watches_torchs_optimizer_is_told_of_each_step() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.adamw(model, lr=0.01)
    told: list[str] = []
    optimizer.torch.register_step_post_hook(lambda *_: told.append("own"))
    stepped(model, optimizer, 3)
    assert told == ["own"] * 3
    other = rt.adamw(model, lr=0.01)
    stepped(model, other)
    handle = register_optimizer_step_post_hook(lambda *_: told.append("every"))
    try:
        stepped(model, other)
    finally:
        handle.remove()
    assert told[3:] == ["every"]


def test_a_step_that_was_replaced_is_the_one_made() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.adamw(model, lr=0.01)
    stepped(model, optimizer)
    before = model.w1.detach().clone()
    optimizer.torch.step = lambda: None  # type: ignore[method-assign, assignment]
    stepped(model, optimizer)
    assert torch.equal(model.w1, before)


def test_the_rate_is_the_schedules_at_the_updates_before() -> None:
    model = Mlp.init(seed=0)
    schedule = rt.warmup(2, rt.cosine(0.1, 10))
    optimizer = rt.sgd(model, lr=schedule)
    used = []
    for _ in range(5):
        stepped(model, optimizer)
        used.append(optimizer.torch.param_groups[0]["lr"])
    assert used == [schedule(step) for step in range(5)]
    assert optimizer.lr == schedule


def test_the_first_step_of_a_warmup_changes_nothing() -> None:
    model = Mlp.init(seed=0)
    before = values(model)
    stepped(model, rt.sgd(model, lr=rt.warmup(2, 0.1)))
    assert equal(values(model), before)


def test_gradients_in_another_layout_are_the_same_gradients() -> None:
    """torch's fused kernels read memory in order. A transposed product's gradient is laid out the other way."""

    def transposed(m: Any) -> torch.Tensor:
        return (m.w1.t() @ torch.arange(float(D * 2)).reshape(D, 2)).square().sum()

    ours, theirs = Mlp.init(seed=0), Mlp.init(seed=0)
    optimizer = rt.adamw(ours, lr=0.1)
    reference = torch.optim.AdamW(theirs.parameters(), lr=0.1, foreach=False, fused=False)
    for _ in range(3):
        _, gradient = rt.value_and_grad(transposed, ours)
        gradient.w1 = gradient.w1.t().contiguous().t()
        assert not gradient.w1.is_contiguous()
        rt.update(ours, optimizer, gradient)
        reference.zero_grad()
        transposed(theirs).backward()
        theirs.w2.grad = torch.zeros(Hd, C)
        reference.step()
    torch.testing.assert_close(ours.w1, theirs.w1)


def test_params_in_another_layout_are_updated_right() -> None:
    ours, theirs = Mlp.init(seed=0), Mlp.init(seed=0)
    ours.w1 = nn.Parameter(ours.w1.detach().t().contiguous().t())
    for model in (ours, theirs):
        stepped(model, rt.adamw(model, lr=0.1), steps=3)
    torch.testing.assert_close(ours.w1, theirs.w1)


def test_frozen_params_are_left_alone() -> None:
    model = Mlp.init(seed=0)
    model.w1.requires_grad_(False)
    before = values(model)
    stepped(model, rt.adamw(model, lr=0.1, weight_decay=0.5), steps=3)
    assert torch.equal(model.w1, before[0])
    assert not torch.equal(model.w2, before[1])


@pytest.mark.parametrize("name", MAKERS)
def test_no_grad_is_left_behind_whoever_made_it(name: str) -> None:
    model = Mlp.init(seed=0)
    optimizer = MAKERS[name][0](model)
    for _ in range(3):
        loss(model, *images()).backward()
        stepped(model, optimizer)
        assert all(param.grad is None for param in model.parameters())


def test_params_that_torchs_optimizer_was_given_besides_are_its_own() -> None:
    model, more = Mlp.init(seed=0), nn.Parameter(torch.ones(3))
    optimizer = rt.adamw(model, lr=0.1)
    stepped(model, optimizer)
    optimizer.torch.add_param_group({"params": [more]})
    more.grad = torch.ones(3)
    stepped(model, optimizer)
    assert more[0] < 1.0


def test_a_learning_rate_can_be_assigned() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.sgd(model, lr=0.1)
    optimizer.lr = 0.5
    stepped(model, optimizer)
    assert optimizer.torch.param_groups[0]["lr"] == 0.5
    assert optimizer.state_dict()["lr"] == 0.5
    with pytest.raises(TypeError, match="the learning rate of sgd is a number or a schedule, not a str"):
        optimizer.lr = "0.5"  # type: ignore[assignment]


def test_a_scheduler_of_torchs_changes_a_rate_that_is_a_number() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.sgd(model, lr=0.5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer.torch, 1, gamma=0.5)
    used = []
    for _ in range(3):
        before = model.w1.detach().clone()
        _, grad = rt.value_and_grad(loss, model, *images())
        rt.update(model, optimizer, grad)
        used.append(((before - model.w1).norm() / grad.w1.norm()).item())
        scheduler.step()
    assert used == pytest.approx([0.5, 0.25, 0.125], rel=1e-4)
    assert optimizer.lr == optimizer.state_dict()["lr"] == 0.0625
    again = rt.sgd(model, lr=0.5)
    again.load_state_dict(optimizer.state_dict())
    assert again.torch.param_groups[0]["lr"] == 0.0625


def test_a_step_that_fails_counts_for_nothing_and_leaves_no_grad() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.sgd(model, lr=0.1)

    def fails(*_: Any) -> None:
        raise RuntimeError("no")

    optimizer.torch.register_step_pre_hook(fails)
    with pytest.raises(RuntimeError, match="no"):
        stepped(model, optimizer)
    assert optimizer.steps == 0
    assert model.w1.grad is None


@pytest.mark.parametrize("name", MAKERS)
def test_state_moves_to_another_model_of_the_type(name: str) -> None:
    make, _ = MAKERS[name]
    ours, expected = Mlp.init(seed=0), Mlp.init(seed=0)
    moving, staying = make(ours), make(expected)
    stepped(ours, moving, steps=2)
    stepped(expected, staying, steps=4)
    other = copy.deepcopy(ours)
    stepped(other, moving, steps=2)
    assert equal(values(other), values(expected))
    assert not equal(values(ours), values(other))


def test_a_replaced_param_is_the_one_updated() -> None:
    ours, expected = Mlp.init(seed=0), Mlp.init(seed=0)
    optimizers = [rt.adamw(model, lr=0.1) for model in (ours, expected)]
    stepped(ours, optimizers[0])
    stepped(expected, optimizers[1])
    ours.w1 = nn.Parameter(ours.w1.detach().clone())
    stepped(ours, optimizers[0])
    stepped(expected, optimizers[1])
    assert equal(values(ours), values(expected))


def test_fields_in_another_order_are_told_apart_by_name() -> None:
    """A module loaded twice, with its fields turned around in between."""
    again = type("Mlp", (rt.Model,), {"_ss_fields": tuple(reversed(Mlp._ss_fields))})
    ours, expected = again.init(seed=0), Mlp.init(seed=0)
    optimizer = rt.adamw(expected, lr=0.1)
    gradient = rt.value_and_grad(loss, expected, *images())[1]
    rt.update(ours, optimizer, gradient)
    fresh = rt.adamw(expected, lr=0.1)
    rt.update(expected, fresh, gradient)
    assert torch.equal(ours.w1, expected.w1)
    assert torch.equal(ours.w2, expected.w2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_every_float_dtype_is_trained(dtype: torch.dtype) -> None:
    model_type = type(
        "Net", (rt.Model,), {"_ss_fields": (rt.Field("w", "param", (4, 3), dtype, rt.normal()),)}
    )
    for make in (rt.adamw, rt.sgd):
        model = model_type.init(seed=0)
        before = model.w.detach().clone()
        _, gradient = rt.value_and_grad(lambda m: m.w.float().square().sum(), model)
        rt.update(model, make(model, lr=0.1), gradient)
        assert model.w.dtype == dtype
        assert model.w.abs().sum() < before.abs().sum()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("name", MAKERS)
def test_a_step_is_as_good_as_its_dtype(name: str, dtype: torch.dtype) -> None:
    """torch's own kernels aren't, all of them: its fused SGD moves few of the values of 16 bits on the CPU."""
    fields = (rt.Field("w", "param", (40, 3), dtype, rt.uniform(-1.0, 1.0)),)
    model = type("Net", (rt.Model,), {"_ss_fields": fields}).init(seed=0)
    exact = nn.Parameter(model.w.detach().double())
    optimizer, reference = MAKERS[name][0](model), MAKERS[name][1]([exact])
    for step in range(1, 4):
        _, gradient = rt.value_and_grad(lambda m: (m.w.double() - 0.3).square().sum(), model)
        exact.grad = gradient.w.double()
        rt.update(model, optimizer, gradient)
        reference.step()
        torch.testing.assert_close(
            model.w.double(),
            exact.data,
            atol=step * torch.finfo(dtype).eps,
            rtol=step * torch.finfo(dtype).eps,
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: rt.adamw(m, lr=-1.0), "Invalid learning rate: -1.0"),
        (lambda m: rt.sgd(m, lr=rt.cosine(-1.0, 5)), "Invalid learning rate: -1.0"),
        (lambda m: rt.adamw(m, lr=rt.warmup(5, -1.0)), "Invalid learning rate: -1.0"),
        (lambda m: rt.adamw(m, lr=0.1, beta1=1.5), "Invalid beta parameter at index 0: 1.5"),
        (lambda m: rt.sgd(m, lr=0.1, nesterov=True), "Nesterov momentum requires a momentum"),
    ],
)
def test_torch_checks_the_numbers(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(Mlp.init(seed=0))


def test_a_learning_rate_is_a_number_or_a_schedule() -> None:
    model = Mlp.init(seed=0)
    with pytest.raises(TypeError, match="the learning rate of adamw is a number or a schedule, not a tensor"):
        rt.adamw(model, lr=torch.tensor(0.1))
    with pytest.raises(TypeError):
        rt.adamw(model)  # type: ignore[call-arg]


def test_update_takes_the_model_its_state_and_its_gradient() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.sgd(model, lr=0.1)
    gradient = rt.value_and_grad(loss, model, *images())[1]
    other_type = type("Other", (rt.Model,), {"_ss_fields": Mlp._ss_fields})
    other = other_type.init(seed=0)
    cases = [
        ((nn.Linear(2, 2), optimizer, gradient), "argument `m` of `update` should be a model, got a Linear"),
        ((model, None, gradient), "argument `opt` of `update` should be optimizer state, got None"),
        ((model, optimizer, {}), "argument `g` of `update` should be a gradient, got a dict"),
        (
            (other, optimizer, gradient),
            "should be optimizer state of the model `Other`, got optimizer state of a model",
        ),
        (
            (model, rt.sgd(other, lr=1.0), gradient),
            "optimizer state of the model `Mlp`, got",
        ),
    ]
    for arguments, message in cases:
        with pytest.raises(rt.KindError, match=message):
            rt.update(*arguments)


class TestStateDict:
    def test_it_is_plain_data_with_everything_in_it(self) -> None:
        model = Mlp.init(seed=0)
        optimizer = rt.adamw(model, lr=rt.warmup(5, rt.cosine(3e-4, 1000)))
        stepped(model, optimizer, steps=2)
        state = optimizer.state_dict()
        assert state["optimizer"] == "adamw"
        assert state["model"] == "Mlp"
        assert state["params"] == ["w1", "w2"]
        assert state["steps"] == 2
        cosine = {"schedule": "cosine", "peak": 0.0003, "steps": 1000, "end": 0.0}
        assert state["lr"] == {"schedule": "warmup", "steps": 5, "then": cosine}
        assert isinstance(state["torch"]["param_groups"][0]["lr"], float)
        assert set(state["torch"]["state"]) == {0, 1}

    @pytest.mark.parametrize("name", MAKERS)
    def test_loaded_it_goes_on_the_same(self, name: str) -> None:
        make, _ = MAKERS[name]
        ours, expected = Mlp.init(seed=0), Mlp.init(seed=0)
        one, other = make(ours), make(expected)
        stepped(ours, one, steps=2)
        stepped(expected, other, steps=4)
        fresh = rt.sgd(ours, lr=9.0) if isinstance(one, rt.SGD) else rt.adamw(ours, lr=9.0)
        fresh.load_state_dict(one.state_dict())
        assert (fresh.steps, fresh.lr) == (2, one.lr)
        stepped(ours, fresh, steps=2)
        assert equal(values(ours), values(expected))

    def test_what_is_loaded_is_a_copy(self) -> None:
        ours, other = Mlp.init(seed=0), Mlp.init(seed=1)
        one, fresh = rt.adamw(ours, lr=0.1), rt.adamw(other, lr=0.1)
        stepped(ours, one)
        fresh.load_state_dict(one.state_dict())
        before = one.state_dict()["torch"]["state"][0]["exp_avg"].clone()
        stepped(other, fresh)
        assert torch.equal(one.state_dict()["torch"]["state"][0]["exp_avg"], before)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            (lambda s: s.update(optimizer="sgd"), "it is of 'sgd' for the model 'Mlp'"),
            (lambda s: s.update(model="Other"), "it is of 'adamw' for the model 'Other'"),
            (lambda s: s.update(params=["w1"]), r"its params are \['w1'\]"),
            (lambda s: s.update(steps=-1), "its number of updates is -1"),
            (lambda s: s.update(lr="much"), "no learning rate is described by 'much'"),
            (lambda s: s.update(lr={"schedule": "cosine", "peak": 1.0}), "no schedule is described"),
            (lambda s: s.pop("torch"), "it should be a dict with"),
            (lambda s: s["torch"].update(param_groups=[]), "torch's part of it is damaged"),
            (lambda s: s["torch"]["state"].update({7: {}}), "torch's part is of other params"),
            (
                lambda s: s["torch"]["state"][0].update(exp_avg=torch.zeros(3)),
                r"torch's exp_avg of `w1` should be of shape \(12, 8\), and is a tensor of shape \(3,\)",
            ),
            (lambda s: s["torch"]["state"][0].update(exp_avg=None), "torch's exp_avg of `w1`"),
            (lambda s: s["torch"]["state"][0].pop("step"), "torch's state of `w1` is damaged"),
            (lambda s: s["torch"]["param_groups"][0].update(betas=("a", "b")), "its betas is"),
        ],
    )
    def test_another_or_a_damaged_one_is_refused_and_changes_nothing(self, change: Any, problem: str) -> None:
        model = Mlp.init(seed=0)
        optimizer = rt.adamw(model, lr=0.1)
        stepped(model, optimizer)
        state = copy.deepcopy(optimizer.state_dict())
        change(state)
        with pytest.raises(rt.ShapeError, match=r"this isn't the state of AdamW\[Mlp\]: " + problem):
            optimizer.load_state_dict(state)
        assert (optimizer.steps, optimizer.lr) == (1, 0.1)

    def test_a_schedule_of_ones_own_trains_and_is_not_saved(self) -> None:
        class Halving(rt.Schedule):
            def __call__(self, step: int) -> float:
                return 0.1 * math.pow(0.5, step)

        model = Mlp.init(seed=0)
        optimizer = rt.sgd(model, lr=Halving())
        stepped(model, optimizer, steps=2)
        assert optimizer.torch.param_groups[0]["lr"] == 0.05
        with pytest.raises(TypeError, match="Halving can't be saved"):
            optimizer.state_dict()


class TestTypes:
    def test_a_type_prints_as_it_is_written(self) -> None:
        assert str(rt.AdamW[Mlp]) == "AdamW[Mlp]"
        assert repr(rt.sgd(Mlp.init(seed=0), lr=0.5)) == "SGD[Mlp](lr=0.5, steps=0)"
        with pytest.raises(TypeError, match=r"AdamW\[\.\.\.\] takes a model, not the class int"):
            rt.AdamW[int]

    def test_a_parameter_takes_state_of_its_optimizer_and_model(self) -> None:
        model = Mlp.init(seed=0)
        again = type("Mlp", (rt.Model,), {"_ss_fields": Mlp._ss_fields})
        other = type("Other", (rt.Model,), {"_ss_fields": Mlp._ss_fields})
        for state in (rt.adamw(model, lr=0.1), rt.adamw(again.init(seed=0), lr=0.1)):
            rt.check_optimizer(state, rt.AdamW, Mlp, "a.ss:1:1", "opt", "f")
        refused = {
            "SGD[Mlp]": rt.sgd(model, lr=0.1),
            "AdamW[Other]": rt.adamw(other.init(seed=0), lr=0.1),
            "torch's optimizer AdamW: make state of a model with adamw(m, lr=...)": torch.optim.AdamW(
                model.parameters()
            ),
            "None": None,
        }
        for what, value in refused.items():
            with pytest.raises(rt.KindError) as raised:
                rt.check_optimizer(value, rt.AdamW, Mlp, "a.ss:1:1", "opt", "f")
            assert str(raised.value) == (
                f"a.ss:1:1: argument `opt` of `f` should be optimizer state AdamW[Mlp], got {what}"
            )
