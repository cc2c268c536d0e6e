"""Modes, and what they say of dropout and batch_norm."""

from __future__ import annotations

import copy
import hashlib
import math
import pickle
import subprocess
import sys
from typing import Any

import numpy
import pytest
import torch
from torch import nn

import shapescript_runtime as rt


def generator(text: str) -> torch.Generator:
    digest = hashlib.sha256(text.encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big"))


COMPILED_DROPOUT = """
import torch
from torch._dynamo.testing import CompileCounterWithBackend

import shapescript_runtime as rt


def drop(x, mode):
    return rt.dropout(2 * x, 0.5, mode.call("dropout", 0)) + 1


counter = CompileCounterWithBackend("aot_eager")
compiled = torch.compile(drop, fullgraph=True, backend=counter)
for seed in range(5):
    mine, theirs = (torch.ones(20, requires_grad=True) for _ in range(2))
    found, expected = compiled(mine, rt.Train(seed=seed)), drop(theirs, rt.Train(seed=seed))
    assert torch.equal(found, expected)
    found.sum().backward()
    expected.sum().backward()
    assert torch.equal(mine.grad, theirs.grad)
assert 1 <= counter.frame_count <= 2
print("compiled")
"""


class TestPaths:
    def test_a_call_adds_its_name_and_count(self) -> None:
        mode = rt.Train(seed=3)
        inner = mode.call("forward", 1).call("dropout", 0)
        assert inner.path == "forward#1/dropout#0"
        assert inner.seed == 3
        assert mode.path == ""

    def test_loops_say_which_iteration(self) -> None:
        mode = rt.Train(seed=3)
        assert mode.call("forward", 0, 4).path == "forward@4#0"
        assert mode.call("forward", 2, 4, 17).path == "forward@4.17#2"

    def test_a_draw_is_seeded_with_the_seed_and_the_path(self) -> None:
        mode = rt.Train(seed=3).call("forward", 0, 4).call("dropout", 1)
        drawn = torch.rand(5, generator=mode.generator(torch.device("cpu")))
        assert torch.equal(drawn, torch.rand(5, generator=generator("3/forward@4#0/dropout#1")))

    def test_eval_stays_itself(self) -> None:
        assert rt.Eval.call("forward", 0, 1) is rt.Eval


class TestValues:
    def test_they_do_not_change(self) -> None:
        mode = rt.Train(seed=1)
        with pytest.raises(AttributeError, match="a mode doesn't change"):
            mode.seed = 2
        with pytest.raises(AttributeError, match="a mode doesn't change"):
            mode.path = "f#0"
        for fixed in (mode, rt.Eval):
            with pytest.raises(AttributeError):
                fixed.other = 2  # type: ignore[attr-defined]

    def test_equal_ones_are_equal(self) -> None:
        assert rt.Train(seed=1) == rt.Train(seed=numpy.int64(1))
        assert rt.Train(seed=1) != rt.Train(seed=1).call("f", 0)
        assert rt.Train(seed=1) != rt.Eval
        assert len({rt.Train(seed=1), rt.Train(seed=1), rt.Eval}) == 2

    def test_they_are_copied_and_pickled(self) -> None:
        mode = rt.Train(seed=1).call("f", 0)
        for value in (mode, rt.Eval):
            assert copy.deepcopy(value) == value
            assert pickle.loads(pickle.dumps(value)) == value
        assert pickle.loads(pickle.dumps(rt.Eval)) is rt.Eval

    def test_they_print_as_they_are_written(self) -> None:
        assert repr(rt.Eval) == "Eval"
        assert repr(rt.Train(seed=1)) == "Train(seed=1)"
        assert repr(rt.Train(seed=1).call("f", 0)) == "Train(seed=1) at f#0"

    @pytest.mark.parametrize("seed", [1.5, "1", None, True])
    def test_a_seed_is_an_int(self, seed: Any) -> None:
        with pytest.raises(TypeError, match="the seed of Train is an int"):
            rt.Train(seed=seed)

    def test_a_mode_parameter_takes_modes(self) -> None:
        rt.check_mode(rt.Eval, "a.ss:1:1", "mode", "f")
        rt.check_mode(rt.Train(seed=1), "a.ss:1:1", "mode", "f")
        for value in (None, True, "train", rt.Train):
            with pytest.raises(
                TypeError, match=r"argument `mode` of `f` should be a mode, Train\(seed=\.\.\.\)"
            ):
                rt.check_mode(value, "a.ss:1:1", "mode", "f")


class TestDropout:
    def test_with_eval_it_is_the_value_itself(self) -> None:
        x = torch.randn(3)
        assert rt.dropout(x, 0.5, rt.Eval) is x

    def test_each_value_is_zero_or_divided(self) -> None:
        x = torch.rand(200, 300) + 1
        out = rt.dropout(x, 0.2, rt.Train(seed=0))
        kept = out != 0
        torch.testing.assert_close(out[kept], x[kept] / 0.8)
        assert abs(kept.float().mean().item() - 0.8) < 0.01

    def test_the_mask_is_the_paths_alone(self) -> None:
        x = torch.ones(1000)
        mode = rt.Train(seed=0)
        before = torch.get_rng_state()
        first = rt.dropout(x, 0.5, mode.call("dropout", 0))
        torch.manual_seed(99)
        torch.set_rng_state(before)
        assert torch.equal(rt.dropout(x, 0.5, mode.call("dropout", 0)), first)
        assert not torch.equal(rt.dropout(x, 0.5, mode.call("dropout", 1)), first)
        assert not torch.equal(rt.dropout(x, 0.5, rt.Train(seed=1).call("dropout", 0)), first)
        assert torch.equal(torch.get_rng_state(), before)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_every_dtype_gets_the_same_mask(self, dtype: torch.dtype) -> None:
        mode = rt.Train(seed=0)
        out = rt.dropout(torch.ones(500, dtype=dtype), 0.5, mode)
        assert out.dtype == dtype
        assert torch.equal(out != 0, rt.dropout(torch.ones(500), 0.5, mode) != 0)

    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
    def test_torchs_default_dtype_changes_nothing(self, dtype: torch.dtype) -> None:
        x, mode = torch.ones(100, dtype=dtype), rt.Train(seed=1)
        expected = rt.dropout(x, 0.1, mode)
        torch.set_default_dtype(torch.float64)
        try:
            assert torch.equal(rt.dropout(x, 0.1, mode), expected)
            assert rt.dropout(x, 0.1, mode).dtype == dtype
        finally:
            torch.set_default_dtype(torch.float32)

    def test_f64_is_divided_as_f64(self) -> None:
        out = rt.dropout(torch.ones(50, dtype=torch.float64), 0.1, rt.Train(seed=0))
        assert set(out.tolist()) <= {0.0, 1 / 0.9}

    @pytest.mark.parametrize("p", [1e-12, 0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12])
    def test_as_many_are_dropped_as_it_says(self, p: float) -> None:
        x = torch.ones(999, 1001)
        dropped = int((rt.dropout(x, p, rt.Train(seed=3)) == 0).sum())
        deviation = math.sqrt(x.numel() * p * (1 - p))
        assert abs(dropped - x.numel() * p) <= 4 * deviation + 1

    @pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 0, 3), (5, 7)])
    def test_any_shape(self, shape: tuple[int, ...]) -> None:
        assert rt.dropout(torch.ones(shape), 0.5, rt.Train(seed=0)).shape == shape

    def test_gradients_go_through_what_is_kept(self) -> None:
        x = torch.ones(100, requires_grad=True)
        out = rt.dropout(x, 0.5, rt.Train(seed=0))
        out.sum().backward()
        assert torch.equal(x.grad, out.detach())  # type: ignore[arg-type]

    def test_nothing_is_dropped_with_0(self) -> None:
        x = torch.randn(100)
        assert torch.equal(rt.dropout(x, 0.0, rt.Train(seed=0)), x)

    @pytest.mark.parametrize("p", [-0.1, 1.0, 2, float("nan")])
    def test_a_probability_is_at_least_0_and_less_than_1(self, p: float) -> None:
        for mode in (rt.Eval, rt.Train(seed=0)):
            with pytest.raises(ValueError, match="at least 0 and less than 1"):
                rt.dropout(torch.ones(1), p, mode)

    def test_it_takes_a_mode(self) -> None:
        with pytest.raises(TypeError, match="argument `mode` of `dropout` should be a mode"):
            rt.dropout(torch.ones(1), 0.5, True)  # type: ignore[arg-type]

    def test_it_compiles_whole_for_every_seed(self) -> None:
        # In a process of its own: after thousands of other tests, torch's dispatcher once had a std::bad_alloc for it.
        done = subprocess.run([sys.executable, "-c", COMPILED_DROPOUT], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "compiled\n"

    def test_with_eval_it_compiles_to_nothing(self) -> None:
        compiled = torch.compile(lambda x: rt.dropout(x, 0.5, rt.Eval) + 1, fullgraph=True, backend="eager")
        assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]


class TestBatchNorm:
    def test_training_it_is_torchs_of_the_batch(self) -> None:
        x = torch.randn(6, 4) * 3 + 1
        module = nn.BatchNorm1d(4).train()
        torch.testing.assert_close(rt.batch_norm(x, rt.Train(seed=0), 1), module(x))
        images = torch.randn(2, 4, 5, 5)
        torch.testing.assert_close(
            rt.batch_norm(images, rt.Train(seed=0), 1), nn.BatchNorm2d(4).train()(images)
        )

    def test_evaluating_it_is_torchs_of_the_running_statistics(self) -> None:
        x = torch.randn(6, 4)
        module = nn.BatchNorm1d(4)
        for tensor in (module.weight, module.bias, module.running_mean):
            nn.init.normal_(tensor)  # type: ignore[arg-type]
        nn.init.uniform_(module.running_var, 0.5, 2.0)  # type: ignore[arg-type]
        module.eval()
        found = rt.batch_norm(
            x, rt.Eval, 1, module.weight, module.bias, module.running_mean, module.running_var, 1e-5
        )
        torch.testing.assert_close(found, module(x))

    @pytest.mark.parametrize("over", [0, 1, 2, -1])
    def test_any_axis_can_be_the_channels(self, over: int) -> None:
        x = torch.randn(3, 4, 5)
        found = rt.batch_norm(x, rt.Train(seed=0), over)
        axes = [axis for axis in range(3) if axis != over % 3]
        expected = (x - x.mean(axes, keepdim=True)) / (x.var(axes, correction=0, keepdim=True) + 1e-5).sqrt()
        torch.testing.assert_close(found, expected)

    def test_a_single_axis_is_the_channels(self) -> None:
        x, mean, var = torch.randn(4), torch.randn(4), torch.rand(4) + 0.5
        found = rt.batch_norm(x, rt.Eval, 0, running_mean=mean, running_var=var)
        torch.testing.assert_close(found, (x - mean) / (var + 1e-5).sqrt())

    def test_it_keeps_no_state(self) -> None:
        mean, var = torch.zeros(4), torch.ones(4)
        rt.batch_norm(torch.randn(6, 4) + 5, rt.Train(seed=0), 1, running_mean=mean, running_var=var)
        assert mean.tolist() == [0.0] * 4
        assert var.tolist() == [1.0] * 4

    def test_evaluating_needs_running_statistics(self) -> None:
        with pytest.raises(ValueError, match="batch_norm needs its running_var with Eval"):
            rt.batch_norm(torch.ones(2, 3), rt.Eval, 1, running_mean=torch.zeros(3))

    def test_it_takes_a_mode(self) -> None:
        with pytest.raises(TypeError, match="argument `mode` of `batch_norm` should be a mode"):
            rt.batch_norm(torch.ones(2, 3), None, 1)  # type: ignore[arg-type]
