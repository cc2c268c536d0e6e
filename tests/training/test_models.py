"""Models: records of tensors that are torch modules."""

from __future__ import annotations

import copy
import hashlib
import io
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import shapescript_runtime as rt
from tests.training.mlp import C, D, Hd, Mlp, forward


class Everything(rt.Model):
    """A field of each kind, dtype and initializer."""

    _ss_fields = (
        rt.Field("short", "param", (4, 5), torch.float16, rt.normal(1.0, 0.5)),
        rt.Field("wide", "param", (3,), torch.float64, rt.uniform(2.0, 3.0)),
        rt.Field("scale", "param", (), torch.float32, rt.ones()),
        rt.Field("count", "buffer", (2,), torch.int64, rt.full(7)),
        rt.Field("keep", "buffer", (2,), torch.bool, rt.full(True)),
    )


def test_a_field_is_drawn_from_the_seed_and_its_name() -> None:
    model = Everything.init(seed=3)
    digest = hashlib.sha256(b"3/short").digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big"))
    drawn = torch.empty(4, 5).normal_(1.0, 0.5, generator=generator)
    assert torch.equal(model.short, drawn.half())
    digest = hashlib.sha256(b"3/wide").digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big"))
    assert torch.equal(
        model.wide, torch.empty(3, dtype=torch.float64).uniform_(2.0, 3.0, generator=generator)
    )
    assert model.scale.item() == 1.0
    assert model.count.tolist() == [7, 7]
    assert model.keep.tolist() == [True, True]


def test_the_order_of_fields_changes_none_of_them() -> None:
    class Turned(rt.Model):
        _ss_fields = (*reversed(Mlp._ss_fields), rt.Field("more", "param", (2,), torch.float32, rt.normal()))

    model, turned = Mlp.init(seed=5), Turned.init(seed=5)
    assert torch.equal(model.w1, turned.w1)
    assert torch.equal(model.w2, turned.w2)
    assert not torch.equal(model.w1, Mlp.init(seed=6).w1)


def test_making_one_leaves_torchs_generator_alone() -> None:
    before = torch.get_rng_state()
    Mlp.init(seed=0)
    assert torch.equal(torch.get_rng_state(), before)


def test_torchs_defaults_change_nothing() -> None:
    expected = Mlp.init(seed=0)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            model = Mlp.init(seed=0)
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(model.w1, expected.w1)


@pytest.mark.parametrize("seed", [1.0, "1", None, True])
def test_a_seed_is_an_int(seed: object) -> None:
    with pytest.raises(TypeError, match=r"the seed of Mlp\.init is an int"):
        Mlp.init(seed=seed)  # type: ignore[arg-type]


def test_it_is_made_with_init_alone() -> None:
    with pytest.raises(TypeError, match=r"Mlp\.init\(seed=\.\.\.\)"):
        Mlp()


def test_its_state_is_its_fields() -> None:
    model = Mlp.init(seed=0)
    assert set(model.state_dict()) == {"w1", "w2", "mean"}
    assert [name for name, _ in model.named_parameters()] == ["w1", "w2"]
    assert [name for name, _ in model.named_buffers()] == ["mean"]
    assert isinstance(model.w1, nn.Parameter)
    other = Mlp.init(seed=1)
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.w1, model.w1)


def test_nothing_else_can_be_stored_on_it() -> None:
    model = Mlp.init(seed=0)
    refused = r"`Mlp` has no field `extra`.*w1, w2, mean"
    with pytest.raises(AttributeError, match=refused):
        model.extra = torch.zeros(1)
    with pytest.raises(AttributeError, match=refused):
        model.extra = nn.Linear(1, 1)
    with pytest.raises(AttributeError, match=refused):
        model.register_buffer("extra", torch.zeros(1))
    with pytest.raises(AttributeError, match=refused):
        model.register_parameter("extra", nn.Parameter(torch.zeros(1)))
    with pytest.raises(AttributeError, match=refused):
        model.add_module("extra", nn.Linear(1, 1))
    model.note = "anything else can"  # type: ignore[assignment]
    assert set(model.state_dict()) == {"w1", "w2", "mean"}


def test_printing_one_says_what_it_holds() -> None:
    assert str(Mlp.init(seed=0)) == (
        "Mlp(\n"
        "  param w1: (12, 8) float32\n"
        "  param w2: (8, 3) float32\n"
        "  buffer mean: (12,) float32\n"
        "  120 trained values, 480 bytes\n"
        ")"
    )


def test_assigning_a_field_changes_the_tensor_in_place() -> None:
    model = Mlp.init(seed=0)
    param = model.w1
    with torch.enable_grad():
        rt.set_field(model, "w1", param * 2)
    assert model.w1 is param
    assert param.grad_fn is None
    assert torch.equal(param, Mlp.init(seed=0).w1 * 2)
    rt.set_field(model, "mean", torch.ones(D))
    assert model.mean.tolist() == [1.0] * D


def test_a_number_can_be_assigned_to_a_field_without_axes() -> None:
    model = Everything.init(seed=0)
    rt.set_field(model, "scale", 0.5)
    assert model.scale.item() == 0.5


def test_an_assigned_value_is_never_stretched() -> None:
    model = Mlp.init(seed=0)
    with pytest.raises(rt.ShapeError, match=r"field `mean` of `Mlp` has shape \(12,\).*shape \(\)"):
        rt.set_field(model, "mean", 1.0)
    with pytest.raises(AttributeError, match="`Mlp` has no field `w3`"):
        rt.set_field(model, "w3", 1.0)
    with pytest.raises(rt.KindError, match="got a Linear"):
        rt.set_field(nn.Linear(1, 1), "weight", 1.0)


def test_deep_copies_are_models_of_their_own() -> None:
    model = Mlp.init(seed=0)
    other = copy.deepcopy(model)
    rt.set_field(other, "w1", torch.zeros(D, Hd))
    assert not torch.equal(model.w1, other.w1)
    rt.check_model(other, Mlp, "a.ss:1:1")


def test_torch_saves_and_loads_one() -> None:
    stream = io.BytesIO()
    model = Mlp.init(seed=0)
    torch.save(model, stream)
    stream.seek(0)
    loaded = torch.load(stream, weights_only=False)
    assert type(loaded) is Mlp
    assert torch.equal(loaded.w1, model.w1)


def test_safetensors_saves_and_loads_its_state(tmp_path: Path) -> None:
    model, other = Mlp.init(seed=0), Mlp.init(seed=1)
    save_file(model.state_dict(), tmp_path / "mlp.safetensors")
    other.load_state_dict(load_file(tmp_path / "mlp.safetensors"))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_torchs_optimizers_train_one() -> None:
    model = Mlp.init(seed=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.ones(4, D)
    before = forward(model, x, rt.Eval).square().sum()
    before.backward()
    optimizer.step()
    assert forward(model, x, rt.Eval).square().sum() < before


def test_functions_of_models_compile_in_one_piece() -> None:
    model = Mlp.init(seed=0)
    compiled = torch.compile(forward, fullgraph=True, backend="aot_eager")
    x = torch.randn(5, D)
    torch.testing.assert_close(compiled(model, x, rt.Eval), forward(model, x, rt.Eval))


def test_a_module_with_the_programs_forward_is_called_compiled_and_exported() -> None:
    class Called(Mlp):
        pass

    Called.__name__ = "Mlp"
    Called.forward = forward
    model = Called.init(seed=0)
    x = torch.randn(5, D)
    expected = forward(model, x, rt.Eval)
    assert torch.equal(model(x, rt.Eval), expected)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x, rt.Eval), expected)


def test_calling_one_says_what_to_call() -> None:
    with pytest.raises(NotImplementedError, match=r"a Mlp has no forward of its own: call a function"):
        Mlp.init(seed=0)(torch.zeros(1, D))


def test_a_class_derived_from_a_model_is_the_model(tmp_path: Path) -> None:
    class Callable(Mlp):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return forward(self, x, rt.Eval)

    model = Callable.init(seed=0)
    x = torch.randn(5, D)
    assert torch.equal(model(x), forward(Mlp.init(seed=0), x, rt.Eval))
    optimizer = rt.adamw(model, lr=0.1)
    rt.check_optimizer(optimizer, rt.AdamW, Mlp, "a.ss:1:1")
    _, grad = rt.value_and_grad(lambda m: m(x).sum(), model)
    rt.check_grad(grad, Mlp, "a.ss:1:1")
    rt.update(model, optimizer, grad)
    rt.save(tmp_path / "a.pt", model, optimizer)
    plain, state = rt.load(tmp_path / "a.pt", Mlp, rt.AdamW[Mlp])
    again, _ = rt.load(tmp_path / "a.pt", Callable, rt.AdamW[Callable])
    assert type(plain) is Mlp
    assert state.steps == 1
    assert torch.equal(again(x), model(x))


class TestChecks:
    """What `m: Mlp` takes."""

    def test_a_model_with_the_declared_fields_is_taken(self) -> None:
        rt.check_model(Mlp.init(seed=0), Mlp, "a.ss:1:1", "m", "f")

    def test_so_is_one_of_the_same_model_loaded_again(self) -> None:
        again = type("Mlp", (rt.Model,), {"_ss_fields": tuple(reversed(Mlp._ss_fields))})
        rt.check_model(again.init(seed=0), Mlp, "a.ss:1:1", "m", "f")

    @pytest.mark.parametrize(
        ("value", "what"),
        [
            (3, "the int 3"),
            (None, "None"),
            (Mlp, "the class Mlp"),
            (nn.Linear(2, 2), "a Linear"),
            (torch.zeros(2), r"a tensor of shape \(2,\)"),
        ],
    )
    def test_anything_else_is_refused(self, value: object, what: str) -> None:
        with pytest.raises(
            rt.KindError, match=rf"^a\.ss:1:1: argument `m` of `f` should be a model `Mlp`, got {what}$"
        ):
            rt.check_model(value, Mlp, "a.ss:1:1", "m", "f")

    def test_a_wrapper_of_torchs_says_where_the_model_is(self) -> None:
        model = Mlp.init(seed=0)
        around = {
            "an OptimizedModule": torch.compile(model, backend="eager"),
            "an AveragedModel": torch.optim.swa_utils.AveragedModel(model),
        }
        for what, value in around.items():
            with pytest.raises(
                rt.KindError, match=f"got {what} around a model: pass the model, which is its `"
            ):
                rt.check_model(value, Mlp, "a.ss:1:1", "m", "f")

    def test_the_error_is_a_shape_error_and_a_type_error(self) -> None:
        with pytest.raises(rt.ShapeError) as raised:
            rt.check_model(3, Mlp, "a.ss:1:1", "m", "f")
        assert isinstance(raised.value, TypeError)
        assert (raised.value.location, raised.value.argument) == ("a.ss:1:1", "m")

    def test_another_model_is_refused(self) -> None:
        with pytest.raises(rt.KindError, match="got a model `Everything`"):
            rt.check_model(Everything.init(seed=0), Mlp, "a.ss:1:1", "m", "f")

    def test_a_model_of_the_name_with_other_fields_is_refused(self) -> None:
        other = type("Mlp", (rt.Model,), {"_ss_fields": Mlp._ss_fields[:1]})
        with pytest.raises(
            rt.KindError, match=r"another `model Mlp`, with the fields w1 \(12, 8\) float32, not w1"
        ):
            rt.check_model(other.init(seed=0), Mlp, "a.ss:1:1", "m", "f")

    def test_a_field_of_another_shape_or_dtype_is_refused(self) -> None:
        model = Mlp.init(seed=0)
        model.w2 = nn.Parameter(torch.zeros(C, Hd))
        with pytest.raises(rt.ShapeError) as raised:
            rt.check_model(model, Mlp, "a.ss:1:1", "m", "f")
        assert str(raised.value) == (
            "a.ss:1:1: argument `m` of `f` should be a model `Mlp`, whose field `w2` is (8, 3) float32, "
            "got one whose `w2` is (3, 8) float32"
        )
        with pytest.raises(rt.ShapeError, match="whose `w1` is \\(12, 8\\) float16"):
            rt.check_model(Mlp.init(seed=0).half(), Mlp, "a.ss:1:1", "m", "f")

    def test_a_missing_field_is_refused(self) -> None:
        model = Mlp.init(seed=0)
        del model.mean
        with pytest.raises(rt.ShapeError, match="whose `mean` is missing"):
            rt.check_model(model, Mlp, "a.ss:1:1", "m", "f")

    def test_a_field_elsewhere_is_a_device_error(self) -> None:
        with pytest.raises(rt.DeviceError, match=r"field `w1` is on meta.*\.to\(\"cpu\"\)"):
            rt.check_model(Mlp.init(seed=0).to("meta"), Mlp, "a.ss:1:1", "m", "f")
