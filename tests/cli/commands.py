"""The command line, run as a user runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# What decides how Python or ShapeScript behave, and differs between the machines that run the tests.
_UNSET = (
    "FORCE_COLOR",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONOPTIMIZE",
    "PYTHONPATH",
    "PYTHONPYCACHEPREFIX",
    "SHAPESCRIPT_CACHE_DIR",
    "SHAPESCRIPT_PYTHON",
    "SHAPESCRIPT_TRACEBACK",
)


def environment(**variables: str) -> dict[str, str]:
    """This process's environment without what would change results, and with `variables`."""
    plain = {name: value for name, value in os.environ.items() if name not in _UNSET}
    return {**plain, "PYTHONUTF8": "1", "TERM": "xterm", **variables}


def python(
    *arguments: str, cwd: Path, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs this Python with arguments."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(**(env or {})),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def shapescript(
    *arguments: str, cwd: Path, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the `shapescript` command with arguments."""
    return python(
        "-c",
        "from shapescript.__main__ import main; raise SystemExit(main())",
        *arguments,
        cwd=cwd,
        stdin=stdin,
        env=env,
    )
