"""examples/linear_recurrence.ss: two numbers are found and added up over a long sequence."""

from __future__ import annotations

import pytest
import torch

from shapescript import Sample, Train
from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
recurrence = compiled("linear_recurrence")


def test_the_scan_is_the_recurrence_step_by_step() -> None:
    m, x = recurrence.Recurrence.init(seed=0), recurrence.task(Sample(seed=1))
    state = torch.zeros(recurrence.B, recurrence.Hidden)
    for t, found in enumerate(recurrence.states(m, x).unbind(1)):
        state = torch.sigmoid(m.keep) * state + torch.sigmoid(x[:, t] @ m.gate) * (x[:, t] @ m.enter)
        torch.testing.assert_close(found, state, rtol=1e-4, atol=1e-5)


def test_each_sequence_has_two_marks() -> None:
    marks = recurrence.task(Sample(seed=2))[..., 1]
    half = recurrence.T // 2
    assert marks[:, :half].sum(1).tolist() == marks[:, half:].sum(1).tolist() == [1.0] * recurrence.B


def test_it_learns_what_the_mean_does_not_know() -> None:
    m = recurrence.Recurrence.init(seed=0)
    recurrence.train(m, recurrence.optimizer(m), 200, Train(seed=0))
    x = recurrence.task(Sample(seed=9))
    wanted = (x[..., 0] * x[..., 1]).sum(1)
    assert recurrence.loss(m, x) < 0.25 * wanted.var()
