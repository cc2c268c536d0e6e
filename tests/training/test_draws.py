"""Random draws, and the mode that draws without training."""

from __future__ import annotations

import copy
import hashlib
import pickle
from typing import Any

import pytest
import torch

import shapescript_runtime as rt

CPU = torch.device("cpu")


def generator(text: str) -> torch.Generator:
    digest = hashlib.sha256(text.encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big"))


@pytest.mark.parametrize("kind", [rt.Train, rt.Sample])
class TestDraws:
    def test_they_come_from_the_seed_and_the_path(self, kind: type[rt.Train]) -> None:
        mode = kind(seed=3).call("forward", 0, 4).call("normal", 1)
        drawn = rt.draw_normal((5,), mode, CPU)
        assert drawn.equal(torch.empty(5).normal_(generator=generator("3/forward@4#0/normal#1")))
        evenly = rt.draw_uniform((2, 3), mode, CPU, low=-1.0, high=2.0)
        assert evenly.equal(
            torch.empty(2, 3).uniform_(-1.0, 2.0, generator=generator("3/forward@4#0/normal#1"))
        )

    def test_a_salt_is_another_stream(self, kind: type[rt.Train]) -> None:
        mode = kind(seed=3).call("normal", 0)
        draws = [rt.draw_normal((5,), mode, CPU, salt=salt) for salt in (0, 1, -1, 2**70)]
        assert draws[0].equal(rt.draw_normal((5,), mode, CPU))
        assert len({tuple(d.tolist()) for d in draws}) == 4
        assert draws[1].equal(rt.draw_normal((5,), mode, CPU, salt=torch.tensor(1)))

    def test_nothing_reads_or_changes_the_global_state(self, kind: type[rt.Train]) -> None:
        before = torch.get_rng_state()
        rt.draw_normal((5,), kind(seed=3), CPU)
        assert torch.get_rng_state().equal(before)

    def test_empty_shapes_and_no_spread(self, kind: type[rt.Train]) -> None:
        mode = kind(seed=3)
        assert rt.draw_normal((0, 3), mode, CPU).shape == (0, 3)
        assert rt.draw_normal((3,), mode, CPU, mean=2.0, std=0.0).tolist() == [2.0] * 3
        assert rt.draw_uniform((3,), mode, CPU, low=2.0, high=2.0).tolist() == [2.0] * 3

    def test_arguments_that_no_distribution_has(self, kind: type[rt.Train]) -> None:
        for std in (-1.0, float("nan")):
            with pytest.raises(ValueError, match="std of at least 0"):
                rt.draw_normal((3,), kind(seed=3), CPU, std=std)
        with pytest.raises(ValueError, match="low of at most its high"):
            rt.draw_uniform((3,), kind(seed=3), CPU, low=1.0, high=0.0)


@pytest.mark.parametrize("draw", [rt.draw_normal, rt.draw_uniform])
def test_eval_draws_nothing(draw: Any) -> None:
    with pytest.raises(ValueError, match=r"draws nothing with Eval; to draw without training, pass Sample"):
        draw((3,), rt.Eval, CPU)
    with pytest.raises(rt.KindError, match="a mode"):
        draw((3,), "train", CPU)


class TestSample:
    def test_it_is_a_mode_of_its_own(self) -> None:
        mode = rt.Sample(seed=1).call("f", 0)
        assert isinstance(mode, rt.Sample)
        assert repr(mode) == "Sample(seed=1) at f#0"
        assert mode != rt.Train(seed=1).call("f", 0)
        assert copy.deepcopy(mode) == pickle.loads(pickle.dumps(mode)) == mode
        rt.check_mode(mode, "a.ss:1:1", "mode", "f")

    def test_its_seed_is_an_int(self) -> None:
        with pytest.raises(TypeError, match="the seed of Sample is an int"):
            rt.Sample(seed=1.5)  # type: ignore[arg-type]

    def test_dropout_does_nothing(self) -> None:
        x = torch.randn(5)
        assert rt.dropout(x, 0.5, rt.Sample(seed=1)) is x

    def test_batch_norm_uses_the_running_statistics(self) -> None:
        x, mean, var = torch.randn(8, 3), torch.randn(3), torch.rand(3)
        sampled, evaluated = (
            rt.batch_norm(x, mode, 1, running_mean=mean, running_var=var)
            for mode in (rt.Sample(seed=1), rt.Eval)
        )
        assert sampled.equal(evaluated)
        with pytest.raises(ValueError, match="running_mean"):
            rt.batch_norm(x, rt.Sample(seed=1), 1)
