"""Diagnostics as workflow commands, which GitHub Actions turns into annotations of the changed lines.

Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.rendering.cells import printable
from shapescript_syntax.rendering.places import labelled, place
from shapescript_syntax.spans import Source

if TYPE_CHECKING:
    from shapescript_syntax.rendering import Report

_COMMANDS = {"error": "error", "warning": "warning", "hint": "notice"}


def render(reports: Iterable[Report]) -> str:
    """One command on one line for each diagnostic."""
    return "".join(_command(d, source) for source, found in reports for d in found)


def _command(diagnostic: Diagnostic, source: Source) -> str:
    at = place(source, diagnostic.span)
    properties = [("file", at["file"]), ("line", at["line"])]
    # Columns are only allowed for annotations of a single line.
    if at["line"] == at["end_line"]:
        properties += [("col", at["column"]), ("endLine", at["end_line"]), ("endColumn", at["end_column"])]
    else:
        properties.append(("endLine", at["end_line"]))
    properties.append(("title", f"{diagnostic.severity}[{diagnostic.code}]"))
    lines = [diagnostic.message]
    if diagnostic.label:
        lines.append(diagnostic.label)
    for span, message in labelled(diagnostic):
        there = place(source, span)
        lines.append(f"{there['line']}:{there['column']}: {message}")
    lines += [f"note: {note}" for note in diagnostic.notes]
    if diagnostic.help is not None:
        lines.append(f"help: {diagnostic.help}")
    fields = ",".join(f"{name}={_property(str(value))}" for name, value in properties)
    text = printable("\n".join(lines))
    return f"::{_COMMANDS[diagnostic.severity]} {fields}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
