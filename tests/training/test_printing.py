"""print, and the display of how far loops have come."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
import torch

import shapescript_runtime as rt
from shapescript_runtime import progress
from tests.training.mlp import Mlp, StepLogs


class TestPrinting:
    def test_values_are_printed_with_spaces(self, capsys: Any) -> None:
        rt.print_values("loss", torch.tensor(0.5, requires_grad=True), 3, True, torch.tensor(7), rt.Eval)
        assert capsys.readouterr().out == "loss 0.5 3 True 7 Eval\n"

    def test_tensors_are_printed_without_their_history(self, capsys: Any) -> None:
        rt.print_values(torch.tensor([1.0, 2.0], requires_grad=True) * 2)
        assert capsys.readouterr().out == "tensor([2., 4.])\n"

    def test_a_record_is_printed_as_its_numbers(self, capsys: Any) -> None:
        rt.print_values(StepLogs(loss=torch.tensor(0.5), grad_norm=1))
        assert capsys.readouterr().out == "{'loss': 0.5, 'grad_norm': 1.0}\n"

    def test_a_model_says_what_it_holds(self, capsys: Any) -> None:
        rt.print_values(Mlp.init(seed=0))
        assert "param w1: (12, 8) float32" in capsys.readouterr().out

    def test_nothing_is_a_line(self, capsys: Any) -> None:
        rt.print_values()
        assert capsys.readouterr().out == "\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Makes stderr a terminal, from within a test: before one, pytest puts its own in place."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    return found


class TestProgress:
    def test_a_bar_is_drawn_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("tqdm")
        stderr = terminal(monkeypatch)
        assert list(progress.followed(iter("abc"), 3, "/far/away/mlp.ss:42:9")) == ["a", "b", "c"]
        drawn = stderr.getvalue()
        assert "\rmlp.ss:42:" in drawn
        assert "/3" in drawn

    def test_it_is_off_with_one_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stderr = terminal(monkeypatch)
        batches = iter("abc")
        assert rt.show_progress(False) is True
        try:
            assert progress.followed(batches, 3, "") is batches
        finally:
            assert rt.show_progress(True) is False
        assert stderr.getvalue() == ""

    def test_it_is_off_where_nobody_looks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        batches = iter("abc")
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        assert progress.followed(batches, 3, "") is batches
        monkeypatch.setattr(sys, "stderr", None)
        assert progress.followed(batches, 3, "") is batches

    def test_without_tqdm_there_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        terminal(monkeypatch)
        monkeypatch.setitem(sys.modules, "tqdm", None)
        batches = iter("abc")
        assert progress.followed(batches, 3, "") is batches
        rt.print_values("still printed")

    def test_printing_goes_above_the_bar(self, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        pytest.importorskip("tqdm")
        terminal(monkeypatch)
        for letter in progress.followed(iter("abc"), 3, "mlp.ss:42:9"):
            rt.print_values(letter)
        assert capsys.readouterr().out == "a\nb\nc\n"

    @pytest.mark.slow
    def test_a_program_draws_it_on_a_real_terminal(self) -> None:
        pytest.importorskip("tqdm")
        program = (
            "import shapescript_runtime as rt\n"
            "from tests.training.mlp import Digit, images\n"
            "from torch.utils.data import TensorDataset\n"
            "rt.devices('cpu')\n"
            "data = rt.as_dataset(TensorDataset(*images()), Digit, 'a.ss:1:1')\n"
            "for batch in rt.batched(data, 8, 'mlp.ss:42:9'): pass\n"
        )
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=environment,
            check=True,
        )
        os.close(theirs)
        assert b"mlp.ss:42" in os.read(ours, 10_000)
        os.close(ours)
        assert done.stdout == b""


@pytest.mark.slow
def test_importing_the_runtime_loads_none_of_what_few_programs_use() -> None:
    program = (
        "import sys, torch\n"
        "before = set(sys.modules)\n"
        "import shapescript_runtime\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert all(name.partition(".")[0] == "shapescript_runtime" for name in loaded), loaded
    assert "shapescript_runtime.sinks" not in loaded
    assert not any(name.startswith("shapescript_runtime.loading") for name in loaded)
