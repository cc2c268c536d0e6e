"""examples/delta_rule.ss: a memory that learns to overwrite."""

from __future__ import annotations

import pytest
import torch

from shapescript import Sample, Train
from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
memory = compiled("delta_rule")


def test_the_scan_is_the_rule_step_by_step() -> None:
    m = memory.Memory.init(seed=0)
    keys, values = memory.random_keys(Sample(seed=1)), memory.random_values(Sample(seed=1))
    strength = torch.sigmoid(m.strength)
    k = torch.nn.functional.normalize(m.key, dim=1)[keys]
    state = torch.zeros(memory.B, memory.W, memory.W)
    for t, found in enumerate(memory.memories(m, keys, values).unbind(1)):
        known = torch.einsum("bi,bij->bj", k[:, t], state)
        change = m.value[values[:, t]] - known
        state = state + strength * torch.einsum("bi,bj->bij", k[:, t], change)
        torch.testing.assert_close(found, state, rtol=1e-4, atol=1e-5)


def test_it_learns_to_recall_the_last_value_of_a_key() -> None:
    m = memory.Memory.init(seed=0)
    memory.train(m, memory.optimizer(m), 60, Train(seed=0))
    keys, values = memory.random_keys(Sample(seed=9)), memory.random_values(Sample(seed=9))
    wanted = memory.last_written(keys, values, keys[:, 0])
    assert (wanted != values[:, 0]).sum() > memory.B / 4, "few keys were written again"
    right = memory.recalled(m, keys, values, keys[:, 0]).argmax(1) == wanted
    assert right.float().mean() > 0.9
