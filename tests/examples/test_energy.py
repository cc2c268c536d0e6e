"""examples/energy.ss: a model that is trained through the gradients that it takes of itself."""

from __future__ import annotations

import pytest
import torch

from shapescript import Sample, Train
from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
model = compiled("energy")


def energy_by_hand(m: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    hidden = torch.nn.functional.softplus(x @ m.enter + m.offset)
    return (hidden @ m.leave).sum() + x.square().sum() / 4


def test_the_loss_has_torchs_gradient_of_the_second_order() -> None:
    m = model.Energy.init(seed=0)
    clean, noisy = model.circle(Sample(seed=1)), model.circle(Sample(seed=2))
    mine = torch.autograd.grad(model.loss(m, clean, noisy), [m.enter, m.offset, m.leave])
    x = noisy.clone().requires_grad_()
    for _ in range(model.Steps):
        x = x - 0.3 * torch.autograd.grad(energy_by_hand(m, x), x, create_graph=True)[0]
    theirs = torch.autograd.grad((x - clean).square().mean(), [m.enter, m.offset, m.leave])
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_it_learns_where_points_belong() -> None:
    m = model.Energy.init(seed=0)
    model.train(m, model.optimizer(m), 200, Train(seed=0))
    circle = model.circle(Sample(seed=5))
    with torch.no_grad():
        for distance in (0.6, 1.0, 1.4):
            settled = model.settled(m, distance * circle, 12)
            assert not settled.requires_grad
            assert (settled.norm(dim=1) - 1.0).abs().mean() < 0.25
