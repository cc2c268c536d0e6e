"""What people get wrong, and everything that they are told about it: the files in `mistakes`."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapescript_syntax import catalogue
from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.spans import Source, Span
from tests.syntax.snapshots import UPDATING, cases, update
from tests.syntax.walking import check_everything, check_tokens, codes

FILES = sorted((Path(__file__).parent / "mistakes").glob("*.md"))


def shown(source: Source, span: Span) -> str:
    position = source.position(span.start)
    text = source.text[span.start : span.end].replace("\n", "⏎")
    return f"{position.line}:{position.column} `{text}`"


def mended(text: str, fix: Fix) -> str:
    for span, replacement in sorted(fix.edits, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return text


def described(source: Source, diagnostic: Diagnostic) -> str:
    lines = [f"{diagnostic.code} {shown(source, diagnostic.span)} {diagnostic.message}"]
    if diagnostic.label:
        lines.append(f"label: {diagnostic.label}")
    for label in diagnostic.labels:
        assert label.span is not None
        lines.append(f"label: {shown(source, label.span)} {label.message}")
    lines += [f"note: {note}" for note in diagnostic.notes]
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    for fix in diagnostic.fixes:
        changed = [
            line.strip()
            for line in mended(source.text, fix).splitlines()
            if line not in source.text.splitlines()
        ]
        lines.append(f"fix: {fix.title}: {' ⏎ '.join(changed)}")
    return "\n    ".join(lines) + "\n"


def diagnostics(program: str) -> list[Diagnostic]:
    return check_everything(program).diagnostics()


def expected_text(program: str) -> str:
    source = Source("example.ss", program)
    return "".join(described(source, diagnostic) for diagnostic in diagnostics(program))


if UPDATING:
    for path in FILES:
        update(path, "diagnostics", expected_text)


CASES = [
    pytest.param(program, expected, id=f"{path.stem}-{number}")
    for path in FILES
    for number, (_, program, expected) in enumerate(cases(path))
]


@pytest.mark.parametrize(("program", "expected"), CASES)
def test_a_mistake_is_described_in_full(program: str, expected: str) -> None:
    assert expected_text(program) == expected
    check_tokens(program)


@pytest.mark.parametrize(("program", "expected"), CASES)
def test_a_fix_mends_what_it_is_for_and_breaks_nothing(program: str, expected: str) -> None:
    before = diagnostics(program)
    for diagnostic in before:
        for fix in diagnostic.fixes:
            after = [(d.code, d.message) for d in diagnostics(mended(program, fix))]
            assert after.count((diagnostic.code, diagnostic.message)) < len(before)
            assert len(after) <= len(before)


def test_every_code_of_lexing_and_parsing_is_among_them() -> None:
    found = {code for path in FILES for _, program, _ in cases(path) for code in codes(program)}
    filed = {code for code in catalogue.codes() if code[1:3] in ("01", "02") or code in found}
    assert filed == found
    assert {"E2203", "E3201", "E3202", "E3203"} < found
