"""A save that is stopped leaves the last checkpoint whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import shapescript_runtime as rt
from tests.training.mlp import Mlp

KILLS = 200

# A process that forks one that saves, over and over, so that torch is imported once. For each line that it reads it
# starts one, and kills it after as many times what a save takes as the line says. How long that is depends on what else
# the machine does, so it is corrected by whether a save came to its end.
PROGRAM = """
import os, signal, sys, time
import torch
import shapescript_runtime as rt
from tests.training.mlp import Mlp

torch.set_num_threads(1)
rt.devices("cpu")
model = Mlp.init(seed=0)
optimizer = rt.adamw(model, lr=0.1)
start = time.monotonic()
for _ in range(8):
    rt.save(sys.argv[1], model, optimizer, -1)
typical = (time.monotonic() - start) / 8
for line in sys.stdin:
    done, told = os.pipe()
    child = os.fork()
    if child == 0:
        number = 0
        while True:
            os.write(told, b".")
            rt.save(sys.argv[1], model, optimizer, number)
            number += 1
    os.close(told)
    os.read(done, 1)
    time.sleep(float(line) * typical)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    saves = len(os.read(done, 1000))
    os.close(done)
    typical *= 1.05 if saves == 0 else 0.97
    print("killed" if saves == 0 else "killed after a save", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_one_killed_at_any_moment(tmp_path: Path) -> None:
    path = tmp_path / "ckpt.pt"
    rt.save(path, Mlp.init(seed=0), rt.adamw(Mlp.init(seed=0), lr=0.1), -1)
    chance = random.Random(5)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        replaced = left = 0
        for _ in range(KILLS):
            print(chance.uniform(0, 3), file=program.stdin, flush=True)
            fate = program.stdout.readline()
            assert fate.startswith("killed")
            *_, number = rt.load(path, Mlp, rt.AdamW[Mlp], int)
            assert number >= 0 or replaced == 0
            replaced += "after a save" in fate
            left = max(left, len(os.listdir(tmp_path)) - 1)
        program.stdin.close()
    assert replaced > KILLS / 4, "most were killed before their first save came to its end"
    # What one left half written, the next one removed.
    assert left == 1


def test_what_others_are_writing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ckpt.pt"
    rt.save(path, 1)
    (running,) = [".".join(["", path.name, os.uname().nodename[:40], str(os.getpid()), "0", "tmp"])]
    with subprocess.Popen(["sleep", "60"]) as other:
        theirs = tmp_path / running.replace(str(os.getpid()), str(other.pid))
        elsewhere = tmp_path / f".{path.name}.another-machine.1.0.tmp"
        theirs.touch()
        elsewhere.touch()
        rt.save(path, 2)
        assert theirs.exists()
        assert elsewhere.exists()
        other.send_signal(signal.SIGKILL)
        other.wait()
    rt.save(path, 3)
    assert not theirs.exists()
    assert elsewhere.exists()
    assert time.time() - path.stat().st_mtime < 3600
