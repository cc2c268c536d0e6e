"""std.fit trains any model that has a loss, as a loop written for that model does."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.utils.data import Dataset, TensorDataset

import shapescript
from tests.examples.conftest import EXAMPLES

# The README's example, and what of it isn't training.
README = (EXAMPLES / "train_mlp.ss").read_text(encoding="utf-8")
_DECLARED, _, _REST = README.partition("## What a step reports")
CLASSIFIER = _DECLARED + _REST[_REST.index("## Scores") : _REST.index("## One step")]

CALLS = """
fn train(mut m: {model}, data: Dataset[{record}], sink: LogSink, epochs: int, lr: Schedule, mode: Mode):
    std.fit(mut m, data, sink, epochs, 64, lr, mode)

fn carry_on(m: {model}, data: Dataset[{record}], sink: LogSink, epochs: int, mode: Mode) -> {model}:
    return std.resume(m, data, sink, epochs, 64, mode)
"""

LINE = """
dim In = 5

model Line:
    param slope: [In] = normal(std=0.1)
    param offset: [] = zeros

data Point:
    x: [In]
    y: []

fn loss(m: Line, batch: [b] Point, mode: Mode) -> [] NonNeg:
    return mse_loss(batch.x @ m.slope + m.offset, batch.y)
"""


def trained(declarations: str, model: str, record: str, folder: Path) -> ModuleType:
    """The module of a program with a model, a record and a loss, which leaves its training to std.fit."""
    head, devices, rest = declarations.rpartition("devices cpu\n")
    source = f"{head}{devices}import shapescript.std.fit as std\n{rest}"
    source += CALLS.format(model=model, record=record)
    path = folder / f"{model.lower()}.ss"
    path.write_text(source, encoding="utf-8")
    return shapescript.compile(source, str(path))


class Records:
    """A sink that keeps what it is given, and how often it was flushed."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.norms: list[float] = []
        self.flushes = 0

    def write(self, record: dict[str, float]) -> None:
        self.losses.append(record["loss"])
        self.norms.append(record["grad_norm"])

    def flush(self) -> None:
        self.flushes += 1


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shapescript.devices("cpu")


@pytest.fixture
def digits() -> Dataset:
    return TensorDataset(torch.randn(150, 784), torch.randint(10, (150,)))


def test_it_gives_the_losses_of_the_readmes_loop(digits: Dataset, tmp_path: Path) -> None:
    own = shapescript.compile(README, str(EXAMPLES / "train_mlp.ss"))
    module = trained(CLASSIFIER, "Mlp", "Digit", tmp_path)
    expected, found = Records(), Records()
    own.fit(own.Mlp.init(seed=3), digits, expected, 4, shapescript.Eval)
    module.train(module.Mlp.init(seed=3), digits, found, 4, 3e-4, shapescript.Eval)
    assert len(found.losses) == 4 * 3
    assert found.losses == expected.losses
    assert found.norms == expected.norms
    assert found.flushes == 4


def test_it_takes_the_steps_of_torch_on_another_model(tmp_path: Path) -> None:
    x = torch.randn(100, 5)
    data = TensorDataset(x, x @ torch.randn(5) + 1.0)
    module = trained(LINE, "Line", "Point", tmp_path)
    model = module.Line.init(seed=0)
    slope, offset = (p.detach().clone().requires_grad_() for p in (model.slope, model.offset))
    records = Records()
    module.train(model, data, records, 30, 0.05, shapescript.Eval)
    optimizer = torch.optim.AdamW([slope, offset], lr=0.05)
    losses = []
    for epoch in range(30):
        for x, y in batches(module, data, epoch):
            loss = mse_loss(x @ slope + offset, y)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([slope, offset], 1.0)
            optimizer.step()
            losses.append(loss.item())
    assert records.losses == pytest.approx(losses, abs=1e-5)
    assert records.losses[-1] < 0.1 * records.losses[0]
    torch.testing.assert_close(model.slope, slope, rtol=1e-4, atol=1e-5)


def batches(module: ModuleType, data: Dataset, epoch: int) -> list[tuple[Tensor, Tensor]]:
    """The batches of an epoch, in the order that its number gives."""
    dataset = shapescript.rt.shuffled(shapescript.rt.as_dataset(data, module.Point, "here"), epoch)
    return [(batch.x, batch.y) for batch in shapescript.rt.batched(dataset, 64, "here")]


@pytest.mark.parametrize("stop", [1, 3])
def test_stopping_and_resuming_gives_the_run_that_did_not_stop(
    digits: Dataset, tmp_path: Path, stop: int
) -> None:
    module = trained(CLASSIFIER, "Mlp", "Digit", tmp_path)
    mode = shapescript.Eval
    lr = shapescript.rt.cosine(1e-3, 15)
    whole, first, second = Records(), Records(), Records()
    model = module.Mlp.init(seed=5)
    module.train(model, digits, whole, 5, lr, mode)
    module.train(module.Mlp.init(seed=5), digits, first, stop, lr, mode)
    resumed = module.carry_on(module.Mlp.init(seed=0), digits, second, 5, mode)
    assert first.losses + second.losses == whole.losses
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, resumed.state_dict()[name]), name


def test_every_step_draws_its_own_masks(tmp_path: Path) -> None:
    module = trained(CLASSIFIER, "Mlp", "Digit", tmp_path)
    one_batch = TensorDataset(torch.randn(64, 784), torch.randint(10, (64,)))

    def losses(mode: shapescript.Mode) -> list[float]:
        # Without learning, nothing but the masks tells one epoch from another.
        records = Records()
        module.train(module.Mlp.init(seed=5), one_batch, records, 3, 0.0, mode)
        return records.losses

    assert losses(shapescript.Eval) == pytest.approx([losses(shapescript.Eval)[0]] * 3, abs=1e-6)
    first, second, third = losses(shapescript.Train(seed=1))
    assert min(abs(first - second), abs(second - third), abs(first - third)) > 1e-4
    assert losses(shapescript.Train(seed=1)) == [first, second, third]
    assert losses(shapescript.Train(seed=2))[0] != first


def test_a_model_without_a_loss_is_refused_where_it_is_trained(tmp_path: Path) -> None:
    with pytest.raises(shapescript.ShapeScriptError) as caught:
        trained(LINE.replace("fn loss(", "fn misfit("), "Line", "Point", tmp_path)
    assert "E2311" in {d.code for d in caught.value.diagnostics}
