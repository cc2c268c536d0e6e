"""Diagnostics for scripts: an array of objects.

Each has `code severity message file line column end_line end_column labels notes help`. Lines and columns
count from 1, columns in characters, and the end is the place after the last character. `labels` are objects
with the same five fields of position and a `message`; where something is written under the underlined place
itself, that label comes first and has the diagnostic's own position.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.rendering.places import labelled, place
from shapescript_syntax.spans import Source

if TYPE_CHECKING:
    from shapescript_syntax.rendering import Report


def render(reports: Iterable[Report]) -> str:
    """All diagnostics of all reports as one array."""
    objects = [as_object(d, source) for source, found in reports for d in found]
    return json.dumps(objects, indent=2) + "\n"


def as_object(diagnostic: Diagnostic, source: Source) -> dict[str, object]:
    """One diagnostic as a value that `json` writes."""
    labels = [{**place(source, span), "message": message} for span, message in labelled(diagnostic)]
    if diagnostic.label:
        labels.insert(0, {**place(source, diagnostic.span), "message": diagnostic.label})
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **place(source, diagnostic.span),
        "labels": labels,
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }
