"""Trains examples/train_mlp.ss on handwritten digits, logs to CSV and TensorBoard, and says how well it does.

    python examples/train_digits.py [FOLDER]

The digits are the ones that scikit-learn ships, 8 by 8 pixels, drawn larger for the example's 28 by 28. FOLDER takes
the checkpoint and the logs; it is a temporary one if none is given.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import torch
from sklearn.datasets import load_digits
from torch import Tensor
from torch.nn.functional import interpolate
from torch.utils.data import TensorDataset

import shapescript

EPOCHS = 60


def example() -> ModuleType:
    """The training example, as it is."""
    path = Path(__file__).with_name("train_mlp.ss")
    return shapescript.compile(path.read_text(encoding="utf-8"), str(path))


def digits() -> tuple[TensorDataset, Tensor, Tensor]:
    """1,400 digits to train on, and the images and labels of the other 397."""
    found = load_digits()
    small = torch.tensor(found.images, dtype=torch.float32)[:, None] / 16
    images = interpolate(small, size=(28, 28), mode="bilinear").flatten(1)
    labels = torch.tensor(found.target)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    train, held_out = order[:1400], order[1400:]
    return TensorDataset(images[train], labels[train]), images[held_out], labels[held_out]


class Both:
    """A sink can be anything with `write`: this one writes every record to several."""

    def __init__(self, *sinks: object) -> None:
        self.sinks = sinks

    def write(self, record: dict[str, float]) -> None:
        for sink in self.sinks:
            sink.write(record)  # type: ignore[attr-defined]

    def flush(self) -> None:
        for sink in self.sinks:
            sink.flush()  # type: ignore[attr-defined]


def main(folder: Path) -> float:
    """Trains in a folder, and gives the share of held-out digits that are recognized."""
    folder.mkdir(parents=True, exist_ok=True)
    train, images, labels = digits()
    mlp = example()
    model = mlp.Mlp.init(seed=0)
    before = Path.cwd()
    os.chdir(folder)  # the example saves to ckpt.pt
    try:
        with (
            shapescript.sinks.csv("losses.csv", every=None) as rows,
            shapescript.sinks.tensorboard("runs", every=None) as board,
        ):
            mlp.fit(model, train, Both(rows, board), EPOCHS, shapescript.Train(seed=1))
    finally:
        os.chdir(before)
    with torch.no_grad():
        guesses = mlp.forward(model, images, shapescript.Eval).argmax(dim=1)
    accuracy = (guesses == labels).float().mean().item()
    print(
        f"{accuracy:.1%} of {len(labels)} held-out digits recognized after {EPOCHS} epochs; logs in {folder}"
    )
    return accuracy


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()))
