"""Errors that compiled code raises while it runs, as diagnostics.

What is wrong is the value of some expression: for a check of a parameter, the argument in the call, which is
shown with the parameter; for any other check, the expression that is checked, which is shown with the call.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from shapescript.cli.frames import Frame, frames_of
from shapescript_syntax.rendering.excerpt import Mark
from shapescript_syntax.rendering.rows import paint
from shapescript_syntax.rendering.text import render_marked
from shapescript_syntax.spans import Source, Span

_MOST_CALLERS = 8


def render_error(error: Any, trace: TracebackType | None, *, color: bool) -> str | None:
    """One of the runtime's exceptions as text, or None if there is no line to show it at."""
    frames = frames_of(trace)
    compiled = [index for index, frame in enumerate(frames) if frame.is_compiled]
    if not compiled:
        # Raised by a call from Python, such as one that declares devices.
        return _text(error, [_part(frames[-1], frames[-1].span, "", "error")], [], color) if frames else None
    last = compiled[-1]
    frame = frames[last]
    caller = frames[last - 1] if last > 0 else None
    parts: list[tuple[Source, list[Mark]]] = []
    if error.argument is None or caller is None:
        parts.append(_part(frame, frame.span, "", "error"))
        if caller is not None:
            parts.append(_part(caller, caller.span, f"in this call of `{frame.function}`", "secondary"))
    else:
        argument = caller.argument(frame.code, error.argument)
        label = f"given for `{error.argument}`"
        if argument is None:
            label += f" of `{frame.function}` in this call"
        parts.append(_part(caller, argument or caller.span, label, "error"))
        parameter = _parameter(frame, error.location)
        parts.append(_part(frame, parameter, f"the parameter `{error.argument}`", "secondary"))
    return _text(error, _merged(parts), frames[: max(last - 1, 0)], color)


def _part(frame: Frame, span: Span, label: str, style: str) -> tuple[Source, list[Mark]]:
    return frame.source, [Mark(span, label, style)]


def _merged(parts: list[tuple[Source, list[Mark]]]) -> list[tuple[Source, list[Mark]]]:
    """Places of one file in one excerpt, as long as they are near each other."""
    if len(parts) < 2 or parts[0][0].path != parts[1][0].path:
        return parts
    (source, first), (_, second) = parts
    return [(source, first + second)]


def _text(error: Any, parts: list[tuple[Source, list[Mark]]], callers: list[Frame], color: bool) -> str:
    head = paint(type(error).__name__, "error", color)
    notes = []
    for frame in callers[: -_MOST_CALLERS - 1 : -1]:
        line, column = frame.source.position(frame.span.start)
        notes.append(("note", f"called from {frame.source.path}:{line}:{column}, in {frame.function}"))
    if len(callers) > _MOST_CALLERS:
        more = len(callers) - _MOST_CALLERS
        notes.append(("note", f"and {more} more calls: SHAPESCRIPT_TRACEBACK=1 shows all of them"))
    return render_marked(head, error.message, parts, notes, color=color)


def _parameter(frame: Frame, location: str | None) -> Span:
    """The parameter that starts at a location "file.ss:line:col" of the frame's file."""
    line, _, column = (location or "").rpartition(":")
    _, _, line = line.rpartition(":")
    starts = frame.source.line_starts
    if not (line.isdecimal() and column.isdecimal() and 0 < int(line) <= len(starts)):
        return frame.span
    start = starts[int(line) - 1] + int(column) - 1
    text = frame.source.text
    depth = 0
    for at in range(start, len(text)):
        if depth == 0 and text[at] in ",)":
            return Span(start, start + len(text[start:at].rstrip()))
        depth += (text[at] in "([") - (text[at] in ")]")
    return frame.span
