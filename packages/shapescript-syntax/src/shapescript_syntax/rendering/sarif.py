"""Diagnostics as a SARIF 2.1.0 log, which code scanning services read.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from shapescript_syntax import __version__, catalogue
from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.rendering.places import labelled, place
from shapescript_syntax.spans import Source, Span

if TYPE_CHECKING:
    from shapescript_syntax.rendering import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "hint": "note"}


def render(reports: Iterable[Report]) -> str:
    """One log with one run: its rules are those that some diagnostic broke, in the order of their codes."""
    found = [(d, source) for source, diagnostics in reports for d in diagnostics]
    codes = sorted({d.code for d, _ in found})
    driver = {
        "name": "shapescript",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, source, codes.index(d.code)) for d, source in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": code}
    entry = catalogue.load(code)
    if entry is not None:
        rule["shortDescription"] = {"text": entry.title}
        rule["fullDescription"] = {"text": entry.explanation}
        rule["help"] = {"text": entry.markdown, "markdown": entry.markdown}
        rule["defaultConfiguration"] = {"level": _LEVELS[entry.severity]}
    return rule


def _result(diagnostic: Diagnostic, source: Source, rule: int) -> dict[str, Any]:
    lines = [diagnostic.message, *(f"note: {note}" for note in diagnostic.notes)]
    if diagnostic.help is not None:
        lines.append(f"help: {diagnostic.help}")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [_location(source, diagnostic.span, diagnostic.label)],
    }
    labels = labelled(diagnostic)
    if labels:
        result["relatedLocations"] = [
            {"id": number, **_location(source, span, message)}
            for number, (span, message) in enumerate(labels, start=1)
        ]
    if diagnostic.fixes:
        result["fixes"] = [_fix(source, fix) for fix in diagnostic.fixes]
    return result


def _location(source: Source, span: Span, message: str) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(source.path)}, "region": _region(source, span)}
    }
    if message:
        location["message"] = {"text": message}
    return location


def _region(source: Source, span: Span) -> dict[str, int]:
    at = place(source, span)
    return {
        "startLine": int(at["line"]),
        "startColumn": int(at["column"]),
        "endLine": int(at["end_line"]),
        "endColumn": int(at["end_column"]),
    }


def _fix(source: Source, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, span), "insertedContent": {"text": text}}
        for span, text in fix.edits
    ]
    change = {"artifactLocation": {"uri": _uri(source.path)}, "replacements": replacements}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _uri(path: str) -> str:
    """A path as a URI: relative paths stay relative, so that the log means the same in another checkout."""
    from urllib.parse import quote

    slashes = path.replace(os.sep, "/")
    if os.path.isabs(path):
        return "file://" + quote(slashes if slashes.startswith("/") else "/" + slashes, safe="/:")
    # A colon in the first part would read as a scheme.
    return quote(slashes, safe="/")
