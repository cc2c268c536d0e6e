"""Learning rates that change from step to step."""

from __future__ import annotations

import numpy
import pytest
import torch

import shapescript_runtime as rt


def torchs_cosine(peak: float, steps: int, end: float) -> list[float]:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=peak)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps, eta_min=end)
    found = []
    for _ in range(steps + 1):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


def test_cosine_is_torchs_until_it_ends() -> None:
    schedule = rt.cosine(3e-4, 20, end=1e-5)
    assert [schedule(step) for step in range(21)] == pytest.approx(torchs_cosine(3e-4, 20, 1e-5))
    assert (schedule(20), schedule(500)) == (1e-5, 1e-5)


def test_warmup_rises_in_a_line_and_starts_what_follows_afresh() -> None:
    after = rt.cosine(0.4, 10)
    schedule = rt.warmup(4, after)
    assert [schedule(step) for step in range(4)] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert [schedule(4 + step) for step in range(10)] == [after(step) for step in range(10)]
    assert [rt.warmup(2, 0.5)(step) for step in range(4)] == [0.0, 0.25, 0.5, 0.5]
    assert rt.warmup(0, 0.5)(0) == 0.5
    assert rt.warmup(2, rt.warmup(2, 1.0))(3) == 0.5


def test_equal_schedules_are_equal() -> None:
    assert rt.warmup(3, rt.cosine(1.0, 5)) == rt.warmup(3, rt.cosine(1.0, 5, 0.0))
    assert rt.cosine(1.0, 5) != rt.cosine(1.0, 6)
    assert len({rt.cosine(1.0, 5), rt.cosine(1, 5)}) == 1
    assert repr(rt.warmup(3, rt.cosine(1.0, 5))) == "warmup(steps=3, then=cosine(peak=1.0, steps=5, end=0.0))"


def test_numpys_numbers_are_numbers() -> None:
    assert rt.cosine(numpy.float32(0.5), numpy.int64(3)) == rt.cosine(0.5, 3)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: rt.cosine(1.0, 0), ValueError, "cosine takes at least 1 step, not 0"),
        (lambda: rt.warmup(-1, 1.0), ValueError, "warmup takes at least 0 steps, not -1"),
        (lambda: rt.cosine(1.0, 2.0), TypeError, "cosine takes an int for its steps, not the float 2.0"),
        (lambda: rt.cosine("1", 2), TypeError, "the peak of cosine is a number, not a str"),
        (lambda: rt.warmup(1, torch.tensor(1.0)), TypeError, "a number or a schedule, not a tensor"),
        (lambda: rt.warmup(1, True), TypeError, "a number or a schedule, not the bool True"),
    ],
)
def test_what_makes_no_schedule(make: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()  # type: ignore[operator]


def test_a_schedule_parameter_takes_schedules_and_numbers() -> None:
    for value in (rt.cosine(1.0, 5), 0.1, 1):
        rt.check_schedule(value, "a.ss:1:1", "s", "f")
    for value in (torch.tensor(0.1), None, "cosine", True):
        with pytest.raises(TypeError, match="argument `s` of `f` should be a schedule or a number"):
            rt.check_schedule(value, "a.ss:1:1", "s", "f")
