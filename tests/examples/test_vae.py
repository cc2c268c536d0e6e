"""examples/vae.ss: what the autoencoder draws, in training and out of it."""

from __future__ import annotations

import pytest
import torch

from shapescript import Eval, Sample, Train
from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
vae = compiled("vae")


def test_it_learns_and_draws_values_like_its_data() -> None:
    m = vae.Vae.init(seed=0)
    before = vae.loss(m, vae.data(Sample(seed=8)), Sample(seed=1))
    vae.train(m, vae.optimizer(m), 150, Train(seed=0))
    assert vae.loss(m, vae.data(Sample(seed=8)), Sample(seed=1)) < before / 10
    # The data is near -1 and near 1 in all its numbers at once, and so is most of what is drawn.
    drawn = vae.generated(m, Sample(seed=2))
    near = (drawn.abs() - 1.0).abs().mean(1) < 0.4
    assert near.float().mean() > 0.6
    sides = drawn[near].sign()
    assert sides.eq(sides[:, :1]).all()
    assert 0.2 < (sides[:, 0] > 0).float().mean() < 0.8


def test_a_seed_draws_the_same_again_and_another_seed_others() -> None:
    m = vae.Vae.init(seed=0)
    assert vae.generated(m, Sample(seed=2)).equal(vae.generated(m, Sample(seed=2)))
    assert not vae.generated(m, Sample(seed=2)).equal(vae.generated(m, Sample(seed=3)))


def test_without_a_seed_there_is_nothing_to_draw_from() -> None:
    m = vae.Vae.init(seed=0)
    with pytest.raises(ValueError, match="normal draws nothing with Eval"):
        vae.forward(m, torch.zeros(1, vae.D), Eval)
