"""Checkpoints: what save writes, and what load makes of it."""

from __future__ import annotations

import os
import pickle
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import nn

import shapescript_runtime as rt
from tests.training.mlp import C, D, Hd, Mlp
from tests.training.test_models import Everything
from tests.training.test_optimizers import equal, stepped, values

WHERE = "mlp.ss:9:20"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ckpt.pt"


@pytest.fixture
def saved(path: Path) -> Path:
    """A model, its state after two updates, and an int."""
    model = Mlp.init(seed=0)
    optimizer = rt.adamw(model, lr=rt.warmup(5, rt.cosine(3e-4, 100)))
    stepped(model, optimizer, steps=2)
    rt.save(path, model, optimizer, 3)
    return path


def resized(hidden: int) -> type[rt.Model]:
    fields = (
        rt.Field("w1", "param", (D, hidden), torch.float32, rt.normal()),
        rt.Field("w2", "param", (hidden, C), torch.float32, rt.normal()),
        rt.Field("mean", "buffer", (D,), torch.float32, rt.zeros()),
    )
    return type("Mlp", (rt.Model,), {"_ss_fields": fields})


def refusal(path: Path, *types: Any) -> str:
    with pytest.raises(rt.ShapeError) as raised:
        rt.load(path, *types, where=WHERE)
    assert raised.value.location == WHERE
    return str(raised.value).removeprefix(f"{WHERE}: ").replace(str(path), "ckpt.pt")


class TestRoundTrips:
    def test_a_model(self, path: Path) -> None:
        model = Everything.init(seed=4)
        rt.save(path, model)
        loaded = rt.load(path, Everything)
        assert type(loaded) is Everything
        assert loaded is not model
        for name, tensor in model.state_dict().items():
            assert torch.equal(loaded.state_dict()[name], tensor)
            assert loaded.state_dict()[name].dtype == tensor.dtype
        assert all(isinstance(param, nn.Parameter) for param in loaded.parameters())

    def test_nothing_is_drawn(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        rt.save(path, Mlp.init(seed=0))

        def drawn(*_: Any) -> None:
            raise AssertionError("drawn")

        monkeypatch.setattr(rt.Initializer, "fill", drawn)
        before = torch.get_rng_state()
        rt.load(path, Mlp)
        assert torch.equal(torch.get_rng_state(), before)

    @pytest.mark.parametrize("name", ["adamw", "sgd", "amsgrad", "fresh"])
    def test_optimizer_state_with_its_model(self, path: Path, name: str) -> None:
        model, expected = Mlp.init(seed=0), Mlp.init(seed=0)
        make: Any = {
            "adamw": lambda m: rt.adamw(m, lr=rt.cosine(0.01, 10), weight_decay=0.2, beta1=0.7),
            "sgd": lambda m: rt.sgd(m, lr=0.1, momentum=0.9, nesterov=True),
            "amsgrad": lambda m: rt.adamw(m, lr=0.1, amsgrad=True),
            "fresh": lambda m: rt.adamw(m, lr=0.1),
        }[name]
        optimizer, other = make(model), make(expected)
        done = 0 if name == "fresh" else 2
        stepped(model, optimizer, steps=done)
        stepped(expected, other, steps=done + 2)
        rt.save(path, model, optimizer)
        kind = rt.SGD[Mlp] if name == "sgd" else rt.AdamW[Mlp]
        loaded, state = rt.load(path, Mlp, kind)
        assert type(state) is type(optimizer)
        assert (state.steps, state.lr) == (done, optimizer.lr)
        assert all(a is b for a, b in zip(state._ss_params, loaded.parameters(), strict=True))
        stepped(loaded, state, steps=2)
        assert equal(values(loaded), values(expected))

    @pytest.mark.parametrize("order", [0, 1])
    def test_state_before_its_model_or_without_it(self, path: Path, order: int) -> None:
        model, expected = Mlp.init(seed=0), Mlp.init(seed=0)
        optimizer, other = rt.adamw(model, lr=0.1), rt.adamw(expected, lr=0.1)
        stepped(model, optimizer, steps=2)
        stepped(expected, other, steps=4)
        if order == 0:
            rt.save(path, optimizer, model)
            state, loaded = rt.load(path, rt.AdamW[Mlp], Mlp)
        else:
            rt.save(path, optimizer)
            state, loaded = rt.load(path, rt.AdamW[Mlp]), model
        stepped(loaded, state, steps=2)
        assert equal(values(loaded), values(expected))

    @pytest.mark.parametrize("value", [3, -(2**70), 0.5, float("inf"), True, numpy.float64(0.25)])
    def test_host_scalars(self, path: Path, value: Any) -> None:
        kind = next(k for k in (bool, int, float) if isinstance(value, k))
        rt.save(path, value)
        loaded = rt.load(path, kind)
        assert (loaded, type(loaded)) == (value, kind)

    def test_numpys_numbers_are_saved_as_pythons(self, path: Path) -> None:
        rt.save(path, numpy.int64(3), numpy.float32(0.5), numpy.bool_(True))
        assert repr(rt.load(path, int, float, bool)) == "(3, 0.5, True)"

    def test_an_int_that_no_float_can_hold_is_refused(self, path: Path) -> None:
        rt.save(path, 10**400)
        assert rt.load(path, int) == 10**400
        with pytest.raises(rt.ShapeError, match="the file has the int 1000"):
            rt.load(path, float)

    def test_an_int_is_loaded_as_a_float(self, path: Path) -> None:
        rt.save(path, 3)
        loaded = rt.load(path, float)
        assert (loaded, type(loaded)) == (3.0, float)
        assert "the file has the int 3 there" in refusal(path, bool)

    def test_several_are_a_tuple(self, saved: Path) -> None:
        model, optimizer, done = rt.load(str(saved), Mlp, rt.AdamW[Mlp], int)
        assert (type(model), optimizer.steps, done) == (Mlp, 2, 3)

    def test_fields_in_another_order(self, saved: Path) -> None:
        turned = type("Mlp", (rt.Model,), {"_ss_fields": tuple(reversed(Mlp._ss_fields))})
        model, optimizer, _ = rt.load(saved, Mlp, rt.AdamW[Mlp], int)
        other, state, _ = rt.load(saved, turned, rt.AdamW[turned], int)
        stepped(model, optimizer)
        stepped(other, state)
        assert torch.equal(model.w1, other.w1)
        assert torch.equal(model.w2, other.w2)

    def test_a_part_of_a_larger_tensor_is_saved_alone(self, path: Path) -> None:
        model = Mlp.init(seed=0)
        model.mean = torch.zeros(1000, D)[5]
        rt.save(path, model)
        assert path.stat().st_size < 20_000

    def test_params_in_another_layout_are_loaded_in_order(self, path: Path) -> None:
        model = Mlp.init(seed=0)
        model.w1 = nn.Parameter(model.w1.detach().t().contiguous().t())
        rt.save(path, model)
        loaded = rt.load(path, Mlp)
        assert loaded.w1.is_contiguous()
        assert torch.equal(loaded.w1, model.w1)


class TestTheFile:
    def test_its_form(self, saved: Path) -> None:
        content = torch.load(saved, weights_only=True)
        assert set(content) == {"format", "version", "values"}
        assert (content["format"], content["version"]) == ("shapescript.checkpoint", 1)
        model, optimizer, number = content["values"]
        fields = [
            {"name": "w1", "kind": "param", "shape": [D, Hd], "dtype": "float32"},
            {"name": "w2", "kind": "param", "shape": [Hd, C], "dtype": "float32"},
        ]
        buffer = {"name": "mean", "kind": "buffer", "shape": [D], "dtype": "float32"}
        assert (model["kind"], model["type"], model["fields"]) == ("model", "Mlp", [*fields, buffer])
        assert set(model["tensors"]) == {"w1", "w2", "mean"}
        assert {key: optimizer[key] for key in ("kind", "type", "optimizer", "model", "fields", "of")} == {
            "kind": "optimizer",
            "type": "AdamW[Mlp]",
            "optimizer": "adamw",
            "model": "Mlp",
            "fields": fields,
            "of": 0,
        }
        assert optimizer["state"]["steps"] == 2
        assert number == {"kind": "int", "value": 3}

    def test_it_keeps_its_permissions_and_links_to_it_stay_links(self, tmp_path: Path) -> None:
        real, link = tmp_path / "real.pt", tmp_path / "link.pt"
        rt.save(real, 1)
        real.chmod(0o600)
        link.symlink_to(real)
        rt.save(link, 2)
        assert link.is_symlink()
        assert rt.load(real, int) == 2
        assert stat.S_IMODE(real.stat().st_mode) == 0o600

    def test_nothing_else_is_left_in_its_folder(self, saved: Path) -> None:
        rt.save(saved, 1)
        assert os.listdir(saved.parent) == [saved.name]

    def test_a_save_that_fails_leaves_the_last_one(
        self, saved: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = saved.read_bytes()

        def full(_: Any, file: Any) -> None:
            file.write(b"half of it")
            raise OSError("no space left on device")

        monkeypatch.setattr(torch, "save", full)
        with pytest.raises(OSError, match="no space left"):
            rt.save(saved, 1)
        assert saved.read_bytes() == before
        assert os.listdir(saved.parent) == [saved.name]

    def test_what_is_no_file_is_not_replaced(self, tmp_path: Path) -> None:
        with pytest.raises(OSError, match="isn't a file"):
            rt.save(tmp_path, 1)
        with pytest.raises(FileNotFoundError, match="no such folder") as raised:
            rt.save(tmp_path / "no" / "ckpt.pt", 1)
        assert raised.value.filename == str(tmp_path / "no")
        with pytest.raises(FileNotFoundError):
            rt.load(tmp_path / "no.pt", int)


class TestWhatCanBeSaved:
    @pytest.mark.parametrize(
        ("value", "what"),
        [
            ([1], "a list"),
            ("text", "a str"),
            (None, "None"),
            (torch.zeros(2), r"a tensor of shape \(2,\)"),
            (nn.Linear(1, 1), "a Linear"),
            (rt.Train(seed=1), "a Train"),
            (rt.cosine(1.0, 2), "a Cosine"),
        ],
    )
    def test_nothing_else(self, path: Path, value: Any, what: str) -> None:
        with pytest.raises(
            TypeError, match=f"^{WHERE}: value 2 of save is {what}: a checkpoint holds models"
        ):
            rt.save(path, 1, value, where=WHERE)
        assert not path.exists()

    def test_a_path_and_something_to_save(self, path: Path) -> None:
        with pytest.raises(TypeError, match="save takes the path of a file first, not the int 3"):
            rt.save(3, 4)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="save takes at least one value"):
            rt.save(path)
        with pytest.raises(TypeError, match="load takes the path of a file first, not None"):
            rt.load(None, int)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="load takes at least one type"):
            rt.load(path)
        for wrong in (torch.Tensor, str, 3, rt.AdamW, nn.Linear):
            with pytest.raises(TypeError, match="type 2 of load is"):
                rt.load(path, int, wrong)


class TestOtherTypes:
    def test_every_difference_is_listed(self, saved: Path) -> None:
        wider = resized(16)
        assert refusal(saved, wider, rt.AdamW[wider], bool) == (
            "`ckpt.pt` doesn't match the types it's loaded as:\n"
            "  value 1, `Mlp`: field `w1` is (12, 8) float32 in the file, but `Mlp` declares (12, 16) float32\n"
            "  value 1, `Mlp`: field `w2` is (8, 3) float32 in the file, but `Mlp` declares (16, 3) float32\n"
            "  value 2, `AdamW[Mlp]`: field `w1` is (12, 8) float32 in the file, but `Mlp` declares (12, 16) float32\n"
            "  value 2, `AdamW[Mlp]`: field `w2` is (8, 3) float32 in the file, but `Mlp` declares (16, 3) float32\n"
            "  value 3, `bool`: the file has the int 3 there"
        )

    def test_fields_of_one_only(self, path: Path) -> None:
        fields = (
            rt.Field("w1", "buffer", (D, Hd), torch.float32, rt.zeros()),
            rt.Field("w3", "param", (2,), torch.float32, rt.zeros()),
            rt.Field("mean", "buffer", (D,), torch.float64, rt.zeros()),
        )
        rt.save(path, Mlp.init(seed=0))
        assert refusal(path, type("Mlp", (rt.Model,), {"_ss_fields": fields})).splitlines()[1:] == [
            "  value 1, `Mlp`: field `w1` is a param in the file, but `Mlp` declares a buffer",
            "  value 1, `Mlp`: field `w3` isn't in the file, but `Mlp` declares it",
            "  value 1, `Mlp`: field `mean` is (12,) float32 in the file, but `Mlp` declares (12,) float64",
            "  value 1, `Mlp`: field `w2` is in the file, but `Mlp` doesn't declare it",
        ]

    def test_other_kinds(self, saved: Path) -> None:
        assert refusal(saved, rt.AdamW[Mlp], rt.SGD[Mlp], Everything).splitlines()[1:] == [
            "  value 1, `AdamW[Mlp]`: the file has a model `Mlp` there",
            "  value 2, `SGD[Mlp]`: the file has optimizer state `AdamW[Mlp]` there",
            "  value 3, `Everything`: the file has the int 3 there",
        ]
        assert refusal(saved, Everything, int, int).splitlines()[1:] == [
            "  value 1, `Everything`: the file has a model `Mlp` there",
            "  value 2, `int`: the file has optimizer state `AdamW[Mlp]` there",
        ]

    def test_another_number_of_values(self, saved: Path) -> None:
        assert refusal(saved, Mlp, rt.AdamW[Mlp]) == (
            "`ckpt.pt` holds 3 values (Mlp, AdamW[Mlp], int), but `load` was given 2 types (Mlp, AdamW[Mlp])"
        )
        assert refusal(saved, int).endswith("but `load` was given 1 type (int)")


class Runs:
    """An object that runs code when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)


class TestFilesFromElsewhere:
    def refused(self, path: Path) -> str:
        message = refusal(path, Mlp)
        start = "`ckpt.pt` isn't a checkpoint that `save` wrote: "
        assert message.startswith(start)
        return message.removeprefix(start)

    def test_python_objects_are_not_loaded_and_run_nothing(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        mark = path.parent / "mark"
        monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
        torch.save({"format": "shapescript.checkpoint", "version": 1, "values": [Runs(mark)]}, path)
        assert "Python objects" in self.refused(path)
        path.write_bytes(pickle.dumps(Runs(mark)))
        self.refused(path)
        torch.save(Runs(mark), path, _use_new_zipfile_serialization=False)
        self.refused(path)
        assert not mark.exists()

    def test_a_whole_module_is_not_loaded(self, path: Path) -> None:
        torch.save(Mlp.init(seed=0), path)
        assert "Python objects" in self.refused(path)

    @pytest.mark.parametrize("name", ["state_dict", "list", "number"])
    def test_other_files_of_torch(self, path: Path, name: str) -> None:
        content: Any = {"state_dict": Mlp.init(seed=0).state_dict(), "list": [1], "number": 3}[name]
        torch.save(content, path)
        assert self.refused(path) == "it holds something else"

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a checkpoint", b"\x80\x04K\x03."])
    def test_other_files(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        assert "part of one" in self.refused(path)

    def test_a_zip_file(self, path: Path) -> None:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("data.txt", "text")
        self.refused(path)

    def test_the_ending_of_a_name_means_nothing(self, tmp_path: Path) -> None:
        rt.save(tmp_path / "ckpt.safetensors", 3)
        assert rt.load(tmp_path / "ckpt.safetensors", int) == 3

    def test_another_version(self, path: Path) -> None:
        torch.save({"format": "shapescript.checkpoint", "version": 2, "values": []}, path)
        assert self.refused(path) == "it is of version 2, and this reads version 1"

    def test_every_part_of_a_truncated_file(self, saved: Path) -> None:
        whole = saved.read_bytes()
        for size in [*range(0, len(whole), 997), len(whole) - 1]:
            saved.write_bytes(whole[:size])
            with pytest.raises(rt.ShapeError, match="isn't a checkpoint that `save` wrote"):
                rt.load(saved, Mlp, rt.AdamW[Mlp], int)

    @pytest.mark.parametrize(
        "change",
        [
            lambda v: v.clear() or v.append(3),
            lambda v: v[0].pop("tensors"),
            lambda v: v[0].update(type=3),
            lambda v: v[0]["tensors"].update(w1=torch.zeros(2)),
            lambda v: v[0]["tensors"].update(w1=3),
            lambda v: v[0]["tensors"].update(more=torch.zeros(2)),
            lambda v: v[0]["fields"].append(v[0]["fields"][0]),
            lambda v: v[0]["fields"][0].update(shape="12 8"),
            lambda v: v[0].update(fields={}),
            lambda v: v[0].update(kind="thing"),
            lambda v: v[1].update(of=7),
            lambda v: v[1].update(of=2),
            lambda v: v[1].update(optimizer="lion"),
            lambda v: v[1].pop("state"),
            lambda v: v[2].update(value="3"),
            lambda v: v[2].update(value=True),
        ],
    )
    def test_damage(self, saved: Path, change: Any) -> None:
        content = torch.load(saved, weights_only=True)
        change(content["values"])
        torch.save(content, saved)
        assert "damaged" in refusal(saved, Mlp, rt.AdamW[Mlp], int)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            (
                lambda s: s["torch"]["state"][0].update(exp_avg=torch.zeros(1)),
                "torch's exp_avg of `w1` should be",
            ),
            (lambda s: s.update(steps="2"), "its number of updates is '2'"),
            (
                lambda s: s["torch"]["param_groups"][0].update(eps=-1.0),
                "damaged: Invalid epsilon value: -1.0",
            ),
            (lambda s: s.update(lr=-1.0), "damaged: Invalid learning rate: -1.0"),
        ],
    )
    def test_damaged_state(self, saved: Path, change: Any, problem: str) -> None:
        content = torch.load(saved, weights_only=True)
        change(content["values"][1]["state"])
        torch.save(content, saved)
        assert problem in refusal(saved, Mlp, rt.AdamW[Mlp], int)
