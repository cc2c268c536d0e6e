"""examples/train_mlp.ss: what it learns, and that its steps are torch's own."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, gelu
from torch.utils.data import TensorDataset

import shapescript
from examples import train_digits


@pytest.fixture(scope="module")
def mlp() -> ModuleType:
    return train_digits.example()


@pytest.fixture(scope="module")
def examples() -> TensorDataset:
    generator = torch.Generator().manual_seed(0)
    return TensorDataset(
        torch.randn(320, 784, generator=generator), torch.randint(10, (320,), generator=generator)
    )


class Losses:
    """A sink that keeps the loss of every step."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def write(self, record: dict[str, float]) -> None:
        self.values.append(record["loss"])


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_reads_handwritten_digits(tmp_path: Path) -> None:
    assert train_digits.main(tmp_path / "digits") >= 0.96
    rows = list(csv.DictReader((tmp_path / "digits" / "losses.csv").open(encoding="utf-8")))
    assert list(rows[0]) == ["loss", "grad_norm"]
    assert len(rows) == train_digits.EPOCHS
    losses = [float(row["loss"]) for row in rows]
    assert losses[-1] < 0.2 < losses[0]
    assert scalars(tmp_path / "digits" / "runs", "loss") == pytest.approx(losses, rel=1e-6)


def scalars(folder: Path, tag: str) -> list[float]:
    """What TensorBoard's own reader reads."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return [event.value for event in events.Scalars(tag)]


def batches(mlp: ModuleType, data: TensorDataset, epoch: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The batches of an epoch, in the order that its number gives."""
    dataset = shapescript.rt.as_dataset(data, mlp.Digit, "here")
    for batch in shapescript.rt.batched(shapescript.rt.shuffled(dataset, epoch), 64, "here"):
        yield batch.img, batch.label


def test_a_hundred_steps_are_those_of_a_loop_written_by_hand(
    mlp: ModuleType, examples: TensorDataset
) -> None:
    model = mlp.Mlp.init(seed=3)
    w1, w2 = (p.detach().clone().requires_grad_() for p in (model.w1, model.w2))
    sink = Losses()
    mlp.fit(model, examples, sink, 20, shapescript.Eval)
    optimizer = torch.optim.AdamW([w1, w2], lr=3e-4)
    losses = []
    for epoch in range(20):
        for images, labels in batches(mlp, examples, epoch):
            loss = cross_entropy(gelu(images @ w1) @ w2, labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([w1, w2], 1.0)
            optimizer.step()
            losses.append(loss.item())
    assert len(sink.values) == 100
    assert sink.values == pytest.approx(losses, abs=1e-5)


@pytest.mark.parametrize("stop", [1, 3])
def test_stopping_and_resuming_gives_the_run_that_did_not_stop(
    mlp: ModuleType, examples: TensorDataset, stop: int
) -> None:
    whole, first, second = Losses(), Losses(), Losses()
    model = mlp.Mlp.init(seed=5)
    mlp.fit(model, examples, whole, 5, shapescript.Train(seed=7))
    mlp.fit(mlp.Mlp.init(seed=5), examples, first, stop, shapescript.Train(seed=7))
    resumed = mlp.resume(examples, second, 5, shapescript.Train(seed=7))
    assert len(first.values) == 5 * stop
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, resumed.state_dict()[name]), name
    assert first.values + second.values == whole.values


def test_the_example_has_the_sizes_of_the_reference(mlp: ModuleType) -> None:
    model = mlp.Mlp.init(seed=0)
    assert sum(p.numel() for p in model.parameters()) == 203_264
    assert sum(p.numel() * p.element_size() for p in model.parameters()) == 813_056


def test_torchs_random_state_is_neither_read_nor_changed(mlp: ModuleType, examples: TensorDataset) -> None:
    before = torch.random.get_rng_state()
    mlp.fit(mlp.Mlp.init(seed=0), examples, Losses(), 1, shapescript.Train(seed=0))
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(1)
    one = mlp.Mlp.init(seed=2).w1
    torch.manual_seed(3)
    assert torch.equal(one, mlp.Mlp.init(seed=2).w1)


def test_torch_can_save_compile_and_optimize_a_model(mlp: ModuleType, tmp_path: Path) -> None:
    from safetensors.torch import load_model, save_model

    model = mlp.Mlp.init(seed=0)
    torch.save(model.state_dict(), tmp_path / "state.pt")
    other = mlp.Mlp.init(seed=1)
    other.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert torch.equal(model.w1, other.w1)
    save_model(model, str(tmp_path / "model.safetensors"))
    third = mlp.Mlp.init(seed=2)
    load_model(third, str(tmp_path / "model.safetensors"))
    assert torch.equal(model.w2, third.w2)
    x = torch.randn(4, 784, generator=torch.Generator().manual_seed(0))
    compiled = torch.compile(mlp.forward, backend="eager")
    torch.testing.assert_close(compiled(model, x, shapescript.Eval), mlp.forward(model, x, shapescript.Eval))
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert "w1" in repr(model)
