"""A program as the compiler writes it, for tests of what it calls: a classifier of small images, and how it trains."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

import shapescript_runtime as _ss_rt

D = 12
Hd = 8
C = 3


class Mlp(_ss_rt.Model):
    """A two-layer classifier."""

    w1: torch.Tensor
    w2: torch.Tensor
    mean: torch.Tensor
    _ss_fields = (
        _ss_rt.Field("w1", "param", (D, Hd), torch.float32, _ss_rt.normal(0.0, 0.3)),
        _ss_rt.Field("w2", "param", (Hd, C), torch.float32, _ss_rt.uniform(-0.5, 0.5)),
        _ss_rt.Field("mean", "buffer", (D,), torch.float32, _ss_rt.zeros()),
    )


class Digit(_ss_rt.Batch):
    """One labelled image."""

    img: torch.Tensor
    label: torch.Tensor
    _ss_fields = (
        _ss_rt.DataField("img", (D,), torch.float32, "[D]", "mlp.ss:21:5"),
        _ss_rt.DataField("label", (), torch.int64, "[] Index[C]", "mlp.ss:22:5", (_ss_rt.check_index, C)),
    )


class StepLogs(_ss_rt.Logs):
    """What a step reports."""

    _ss_metrics = (_ss_rt.Metric("loss", "float", "mean"), _ss_rt.Metric("grad_norm", "float", "max"))


def forward(m: Any, x: torch.Tensor, mode: Any) -> torch.Tensor:
    _ss_rt.check_model(m, Mlp, "mlp.ss:28:12", "m", "forward")
    _ss_rt.check_mode(mode, "mlp.ss:28:31", "mode", "forward")
    h = F.gelu((x - m.mean) @ m.w1)
    return torch.matmul(_ss_rt.dropout(h, 0.1, mode.call("dropout", 0)), m.w2)


def loss(m: Any, batch: Any, mode: Any) -> torch.Tensor:
    _ss_rt.check_model(m, Mlp, "mlp.ss:31:9", "m", "loss")
    batch = _ss_rt.as_batch(batch, Digit, "mlp.ss:31:17", "batch", "loss")
    _ss_rt.check_mode(mode, "mlp.ss:31:35", "mode", "loss")
    return F.cross_entropy(forward(m, batch.img, mode.call("forward", 0)), batch.label)


def train_step(m: Any, opt: Any, batch: Any, mode: Any) -> StepLogs:
    _ss_rt.check_model(m, Mlp, "mlp.ss:34:19", "m", "train_step")
    batch = _ss_rt.as_batch(batch, Digit, "mlp.ss:34:44", "batch", "train_step")
    value, grad = _ss_rt.value_and_grad(loss, m, batch, mode.call("loss", 0))
    _ss_rt.update(m, opt, _ss_rt.clip_norm(grad, 1.0))
    return StepLogs(loss=value, grad_norm=_ss_rt.grad_norm(grad))


def run(
    m: Any, opt: Any, train: Any, sink: Any, first: int, epochs: int, mode: Any, path: Any = None
) -> None:
    train = _ss_rt.as_dataset(train, Digit, "mlp.ss:40:33", "train", "run")
    _ss_rt.check_sink(sink, "mlp.ss:40:55", "sink", "run")
    for epoch in range(first, epochs):
        for _ss_i, batch in enumerate(_ss_rt.batched(_ss_rt.shuffled(train, epoch), 16, "mlp.ss:42:9")):
            record = train_step(m, opt, batch, mode.call("train_step", 0, epoch, _ss_i))
            _ss_rt.write_record(sink, record)
        _ss_rt.flush_sink(sink)
        if path is not None:
            _ss_rt.save(path, m, opt, epoch + 1, where="mlp.ss:46:9")


class Kept:
    """A sink that keeps the records it is given."""

    def __init__(self) -> None:
        self.records: list[Any] = []

    def write(self, record: Any) -> None:
        self.records.append(record)

    @property
    def losses(self) -> list[float]:
        return [record["loss"] for record in self.records]


def images(count: int = 40) -> tuple[torch.Tensor, torch.Tensor]:
    """Images and labels that can be told from them."""
    generator = torch.Generator().manual_seed(7)
    labels = torch.randint(0, C, (count,), generator=generator)
    pictures = torch.randn(count, D, generator=generator) * 0.3
    pictures[torch.arange(count), labels] += 2.0
    return pictures, labels
