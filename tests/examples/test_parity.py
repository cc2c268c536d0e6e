"""examples/parity.ss: automata in a model, of which it learns to believe the right one."""

from __future__ import annotations

import pytest
import torch

from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
reader = compiled("parity")


def drawn(batch: int, length: int, seed: int) -> torch.Tensor:
    return torch.randint(0, 2, (batch, length), generator=torch.Generator().manual_seed(seed))


def test_the_automaton_counts_ones() -> None:
    bits = drawn(3, 1000, seed=1)
    assert reader.parity(bits).equal(bits.cumsum(1) % 2)


def test_it_believes_the_automaton_that_explains_the_labels() -> None:
    bits = drawn(16, 32, seed=2)
    m = reader.Reader.init(seed=0)
    reader.train(m, reader.optimizer(m), bits, (bits.cumsum(1) % 2).float(), 50)
    assert torch.softmax(m.belief, dim=0)[0] > 0.9
    longer = drawn(4, 2000, seed=3)
    assert (reader.scores(m, longer) > 0).equal(longer.cumsum(1) % 2 == 1)
