"""Programs that import modules, run in this process. The fixture `fresh` has it forget them."""

from __future__ import annotations

import contextlib
import importlib
import io
import textwrap


def run(program: str) -> str:
    """What a program prints."""
    importlib.invalidate_caches()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(textwrap.dedent(program), {"__name__": "program"})
    return printed.getvalue().strip()
