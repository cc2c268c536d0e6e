"""Whole training loops: against torch's, resumed, and on real data."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import TensorDataset

import shapescript_runtime as rt
from shapescript_runtime import sinks
from tests.training.mlp import Digit, Kept, Mlp, images, run

EPOCHS = 4

OPTIMIZERS: dict[str, Callable[[Mlp], rt.Optimizer]] = {
    "adamw": lambda m: rt.adamw(m, lr=3e-3),
    "adamw, cosine": lambda m: rt.adamw(m, lr=rt.cosine(3e-3, 9)),
    "adamw, warmup": lambda m: rt.adamw(m, lr=rt.warmup(5, rt.cosine(3e-3, 7, end=1e-4)), amsgrad=True),
    "sgd with momentum": lambda m: rt.sgd(m, lr=0.1, momentum=0.9),
    "sgd with momentum, warmup and cosine": lambda m: rt.sgd(
        m, lr=rt.warmup(4, rt.cosine(0.1, 6)), momentum=0.9, nesterov=True
    ),
}


def dataset() -> TensorDataset:
    return TensorDataset(*images())


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("stop", range(1, EPOCHS))
def test_a_resumed_run_is_the_run_that_did_not_stop(name: str, stop: int, tmp_path: Path) -> None:
    mode, path = rt.Train(seed=11), tmp_path / "ckpt.pt"
    whole, model = Kept(), Mlp.init(seed=0)
    run(model, OPTIMIZERS[name](model), dataset(), whole, 0, EPOCHS, mode)

    stopped, first = Kept(), Mlp.init(seed=0)
    run(first, OPTIMIZERS[name](first), dataset(), stopped, 0, stop, mode, path)
    resumed, optimizer, done = rt.load(path, Mlp, rt.SGD[Mlp] if "sgd" in name else rt.AdamW[Mlp], int)
    assert done == stop
    run(resumed, optimizer, dataset(), stopped, done, EPOCHS, mode, path)

    assert stopped.records == whole.records
    for one, other in zip(resumed.state_dict().values(), model.state_dict().values(), strict=True):
        assert torch.equal(one, other)


def test_the_same_seed_trains_the_same_and_another_does_not() -> None:
    runs = []
    for seed in (1, 1, 2):
        sink, model = Kept(), Mlp.init(seed=0)
        run(model, rt.adamw(model, lr=1e-2), dataset(), sink, 0, 1, rt.Train(seed=seed))
        runs.append(sink.losses)
    assert runs[0] == runs[1] != runs[2]


def test_training_leaves_torchs_generator_alone() -> None:
    before = torch.get_rng_state()
    model = Mlp.init(seed=0)
    run(model, rt.adamw(model, lr=1e-2), dataset(), Kept(), 0, 1, rt.Train(seed=1))
    assert torch.equal(torch.get_rng_state(), before)


def by_hand(
    w1: torch.Tensor, w2: torch.Tensor, mean: torch.Tensor, batches: list[Any], fused: bool
) -> list[float]:
    params = [torch.nn.Parameter(w.detach().clone()) for w in (w1, w2)]
    optimizer = torch.optim.AdamW(params, lr=3e-3, fused=fused)
    losses = []
    for image, label in batches:
        loss = F.cross_entropy(F.gelu((image - mean) @ params[0]) @ params[1], label)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("fused", [True, False])
def test_a_hundred_steps_give_the_losses_of_a_loop_by_hand(fused: bool) -> None:
    model, sink = Mlp.init(seed=0), Kept()
    epochs = 34  # of three batches
    data = rt.as_dataset(dataset(), Digit, "a.ss:1:1")
    batches = [
        (batch.img, batch.label)
        for epoch in range(epochs)
        for batch in rt.batched(rt.shuffled(data, epoch), 16)
    ]
    expected = by_hand(model.w1, model.w2, model.mean, batches, fused)
    run(model, rt.adamw(model, lr=3e-3), data, sink, 0, epochs, rt.Eval)
    assert len(expected) >= 100
    torch.testing.assert_close(torch.tensor(sink.losses), torch.tensor(expected), rtol=0, atol=1e-5)


def test_a_model_trains_on_handwritten_digits(tmp_path: Path) -> None:
    """The digits that scikit-learn ships, 8 by 8 pixels each."""
    datasets = pytest.importorskip("sklearn.datasets")
    pixels, labels = datasets.load_digits(return_X_y=True)
    x = torch.tensor(pixels / 16, dtype=torch.float32)
    y = torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, held_out = order[:1400], order[1400:]

    class Net(rt.Model):
        _ss_fields = (
            rt.Field("w1", "param", (64, 128), torch.float32, rt.normal(0.0, 0.1)),
            rt.Field("w2", "param", (128, 10), torch.float32, rt.normal(0.0, 0.1)),
        )

    class Image(rt.Batch):
        _ss_fields = (
            rt.DataField(
                "img", (64,), torch.float32, "[D]", "a.ss:1:1", (rt.check_range, 0.0, 1.0, False, False)
            ),
            rt.DataField("label", (), torch.int64, "[] Index[C]", "a.ss:2:1", (rt.check_index, 10)),
        )

    class Losses(rt.Logs):
        _ss_metrics = (rt.Metric("loss", "float", "mean"),)

    def forward(m: Any, img: torch.Tensor, mode: Any) -> torch.Tensor:
        return rt.dropout(F.gelu(img @ m.w1), 0.1, mode.call("dropout", 0)) @ m.w2

    def loss(m: Any, batch: Any, mode: Any) -> torch.Tensor:
        return F.cross_entropy(forward(m, batch.img, mode.call("forward", 0)), batch.label)

    model, mode = Net.init(seed=0), rt.Train(seed=0)
    optimizer = rt.adamw(model, lr=rt.warmup(20, rt.cosine(1e-2, 400)))
    data = rt.as_dataset(TensorDataset(x[train], y[train]), Image, "a.ss:9:9")
    with sinks.csv(tmp_path / "losses.csv", every=None) as sink:
        for epoch in range(20):
            for number, batch in enumerate(rt.batched(rt.shuffled(data, epoch), 64)):
                value, gradient = rt.value_and_grad(loss, model, batch, mode.call("loss", 0, epoch, number))
                rt.update(model, optimizer, rt.clip_norm(gradient, 1.0))
                rt.write_record(sink, Losses(loss=value))
            rt.flush_sink(sink)
    with torch.no_grad():
        found = forward(model, x[held_out], rt.Eval).argmax(1)
    accuracy = (found == y[held_out]).float().mean().item()
    assert accuracy >= 0.96
    with open(tmp_path / "losses.csv", newline="") as file:
        losses = [float(row["loss"]) for row in csv.DictReader(file)]
    assert len(losses) == 20
    assert losses[-1] < losses[0] / 5
