"""What a check found, held against what the lines of a program say."""

from __future__ import annotations

from shapescript_check.program import Program as Checked
from shapescript_syntax.diagnostics import Diagnostic
from tests.language.observed import Observed, observe
from tests.language.specifications import Program


def found_otherwise(program: Program, checked: Checked) -> list[str]:
    """Where the two differ, a line of text for each place; empty if they agree."""
    return [*_wrong_diagnostics(program, checked), *_wrong_types(program, observe(checked))]


def _wrong_diagnostics(program: Program, checked: Checked) -> list[str]:
    wrong = []
    left = list(checked.diagnostics)
    for expected in program.expected:
        for diagnostic in left:
            here = checked.source.position(diagnostic.span.start).line == expected.line
            if here and diagnostic.code == expected.code and expected.message in diagnostic.message:
                left.remove(diagnostic)
                break
        else:
            said = f' "{expected.message}"' if expected.message else ""
            wrong.append(f"{_place(program, expected.line)}: no [{expected.code}]{said} here")
    return wrong + [f"{_place(program, _line(checked, d))}: [{d.code}] isn't expected here" for d in left]


def _wrong_types(program: Program, found: Observed) -> list[str]:
    wrong = []
    for line, expected in program.types.items():
        values = [v for v in found.values if v.first <= line <= v.last]
        shown = [v.type for v in values if v.first == max(w.first for w in values)]
        if shown != [expected]:
            wrong.append(
                f"{_place(program, line)}: the type is {' and '.join(shown) or 'none'}, not {expected}"
            )
    return wrong


def _line(checked: Checked, diagnostic: Diagnostic) -> int:
    return checked.source.position(diagnostic.span.start).line


def _place(program: Program, line: int) -> str:
    return f"{program.chapter}.md:{program.at + line}"
