"""Diagnostics as people and tools read them.

`text` is for terminals, `json_` for scripts, `github` for the annotations of GitHub Actions, and `sarif` for
code scanning. Each takes reports: a source with what the compiler had to say about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Source

Report: TypeAlias = tuple[Source, Sequence[Diagnostic]]

FORMATS = ("text", "json", "github", "sarif")


def render(output_format: str, reports: Iterable[Report], *, color: bool = False) -> str:
    """All reports in one of `FORMATS`, ending in a line break unless there is nothing to say.

    Raises:
        ValueError: for a format that isn't one of `FORMATS`.
    """
    if output_format == "text":
        told = [report for report in reports if report[1]]
        if not told:
            return ""  # as after most checks, which load no more than they need
        from shapescript_syntax.rendering import text

        return text.render(told, color=color)
    if output_format == "json":
        from shapescript_syntax.rendering import json_

        return json_.render(reports)
    if output_format == "github":
        from shapescript_syntax.rendering import github

        return github.render(reports)
    if output_format == "sarif":
        from shapescript_syntax.rendering import sarif

        return sarif.render(reports)
    raise ValueError(f"no output format {output_format!r}: there are {', '.join(FORMATS)}")
