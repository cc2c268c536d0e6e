"""Times whole processes."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

Command = Sequence[str | Path]


class Cost(NamedTuple):
    """What something took, in seconds: on the clock, and of a processor's time."""

    wall: float
    cpu: float


class Failed(Exception):
    """A process that ended otherwise than it should have."""


def run(command: Command, *, code: int = 0) -> Cost:
    """Runs a command and says what it took, its start included.

    Raises:
        Failed: if its exit code isn't `code`.
    """
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment())
    assert process.stdout is not None
    with process.stdout as stdout:
        output = stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != code:
        raise Failed(f"{' '.join(map(str, command))}\n{output.decode(errors='replace')}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def in_turns(commands: Mapping[str, Command], times: int) -> dict[str, Cost]:
    """The least that each command takes, on the clock and of a processor's time. They are run in turns."""
    for command in commands.values():
        run(command)  # which leaves files in memory and byte code in place
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            costs[name].append(run(command))
    return {name: least(each) for name, each in costs.items()}


def least(costs: Sequence[Cost]) -> Cost:
    """The least on the clock, and the least of a processor's time."""
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs))


def shapescript() -> list[str | Path]:
    """The `shapescript` command of this environment."""
    script = Path(sysconfig.get_path("scripts")) / "shapescript"
    return [script] if script.exists() else [sys.executable, "-m", "shapescript"]


def _environment() -> dict[str, str]:
    # Without byte code, every start would compile the compiler.
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
