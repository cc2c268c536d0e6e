"""Training on a CUDA device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import TensorDataset

import shapescript_runtime as rt
from shapescript_runtime import declared
from tests.training.mlp import Digit, Kept, Mlp, images, run

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def cuda(monkeypatch: pytest.MonkeyPatch, cpu: None) -> None:
    declare(monkeypatch, "cuda[0]")


def declare(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(declared, "_declaration", None)
    monkeypatch.setattr(declared, "_device", None)
    rt.devices(text)


def trained(make: Any, first: int, epochs: int, path: Path | None = None) -> tuple[Mlp, list[float]]:
    model, sink = Mlp.init(seed=0), Kept()
    run(model, make(model), TensorDataset(*images()), sink, first, epochs, rt.Train(seed=1), path)
    return model, sink.losses


def test_a_model_is_the_same_as_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Mlp.init(seed=3)
    assert model.w1.device == torch.device("cuda", 0)
    declare(monkeypatch, "cpu")
    assert torch.equal(Mlp.init(seed=3).w1, model.w1.cpu())


def test_adamw_can_be_recorded_and_reads_its_rate_from_the_device() -> None:
    model = Mlp.init(seed=0)
    optimizer = rt.adamw(model, lr=rt.warmup(2, 0.1))
    (group,) = optimizer.torch.param_groups
    assert group["capturable"]
    assert group["fused"]
    rate = group["lr"]
    assert rate.is_cuda
    for expected in (0.0, 0.05, 0.1):
        rt.update(model, optimizer, rt.value_and_grad(lambda m: m.w1.sum(), model)[1])
        assert group["lr"] is rate
        assert rate.item() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["adamw", "sgd"])
def test_training_stops_and_goes_on(tmp_path: Path, name: str) -> None:
    make: Any = {
        "adamw": lambda m: rt.adamw(m, lr=rt.cosine(1e-2, 9)),
        "sgd": lambda m: rt.sgd(m, lr=0.1, momentum=0.9),
    }[name]
    model, losses = trained(make, 0, 3)
    assert losses[-1] < losses[0]
    path = tmp_path / "ckpt.pt"
    _, first = trained(make, 0, 1, path)
    resumed, optimizer, done = rt.load(path, Mlp, rt.AdamW[Mlp] if name == "adamw" else rt.SGD[Mlp], int)
    sink = Kept()
    run(resumed, optimizer, TensorDataset(*images()), sink, done, 3, rt.Train(seed=1))
    torch.testing.assert_close(torch.tensor([*first, *sink.losses]), torch.tensor(losses))
    torch.testing.assert_close(resumed.w1, model.w1)


def test_checkpoints_move_between_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ckpt.pt"
    for there, here in (("cuda[0]", "cpu"), ("cpu", "cuda[0]")):
        declare(monkeypatch, there)
        trained(lambda m: rt.adamw(m, lr=1e-2), 0, 1, path)
        declare(monkeypatch, here)
        model, optimizer, done = rt.load(path, Mlp, rt.AdamW[Mlp], int)
        assert model.w1.device == rt.device()
        run(model, optimizer, TensorDataset(*images()), Kept(), done, 2, rt.Train(seed=1))
        assert optimizer.steps == 6


def test_datasets_are_kept_there(no_workers: None) -> None:
    data = rt.as_dataset(TensorDataset(*images()), Digit, "a.ss:1:1")
    for items in (data, rt.as_dataset(list(zip(*images(), strict=True)), Digit, "a.ss:1:1")):
        for batch in rt.batched(rt.shuffled(items, 1), 16):
            assert batch.img.device == batch.label.device == rt.device()


def test_a_tensor_elsewhere_is_a_device_error() -> None:
    with pytest.raises(rt.DeviceError):
        rt.check_model(Mlp.init(seed=0).to("cpu"), Mlp, "a.ss:1:1", "m", "f")
