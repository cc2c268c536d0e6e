"""How `run` shows what a program doesn't catch.

Errors of .ss files are shown as `check` shows diagnostics: with the lines that they are about, and no
traceback. Everything else keeps its traceback, without the frames of the command that ran the program.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

from shapescript.cli import output
from shapescript.errors import ShapeScriptError
from shapescript_syntax.spans import Source


def install(starter: str) -> None:
    """Takes over what Python does with an exception that nobody catches.

    `starter` is the file whose frames come before the program's own.
    """

    def hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        trace = _without_starters(trace, starter)
        if not _wants_traceback():
            try:
                shown = _shown(value, trace)
            except Exception:
                # A mistake in showing an error must not hide it.
                shown = None
            if shown is not None:
                sys.stdout.flush()
                output.write(shown, sys.stderr)
                return
        sys.__excepthook__(kind, value.with_traceback(trace), trace)

    sys.excepthook = hook


def _wants_traceback() -> bool:
    """Whether tracebacks were asked for, or a debugger is there to show where an error was raised."""
    if os.environ.get("SHAPESCRIPT_TRACEBACK", "").lower() not in ("", "0", "false", "off", "no"):
        return True
    return "pydevd" in sys.modules or ("bdb" in sys.modules and sys.gettrace() is not None)


def _shown(value: BaseException, trace: TracebackType | None) -> str | None:
    """An error of a .ss file as text, or None for any other exception."""
    color = output.use_color("auto", sys.stderr)
    if isinstance(value, ShapeScriptError):
        from shapescript_syntax.rendering.text import render

        source = Source(output.short(value.path), value.source.text)
        return render([(source, value.diagnostics)], color=color)
    # Without the runtime loaded, nothing of it can have been raised.
    errors: Any = sys.modules.get("shapescript_runtime.errors")
    if errors is None or not isinstance(value, (errors.ShapeError, errors.DomainError, errors.DeviceError)):
        return None
    from shapescript.cli.run_time_errors import render_error

    return render_error(value, trace, color=color)


def _without_starters(trace: TracebackType | None, starter: str) -> TracebackType | None:
    """A traceback from the program's first frame on: after the starter's and its means."""
    program = trace
    while program is not None and program.tb_frame.f_code.co_filename != starter:
        program = program.tb_next
    if program is None:
        return trace
    while program is not None and _starts(program.tb_frame.f_code.co_filename, starter):
        program = program.tb_next
    return program


def _starts(file: str, starter: str) -> bool:
    if file == starter or file.startswith(("<frozen runpy>", "<frozen importlib")):
        return True
    return file.endswith((os.path.join("importlib", "__init__.py"), "runpy.py"))
