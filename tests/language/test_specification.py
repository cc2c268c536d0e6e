"""Holds the compiler to the specification: every program of every chapter, one test each."""

from __future__ import annotations

import ast

import pytest

import shapescript
from shapescript_check import Checker
from shapescript_check.codegen import Options, generate
from shapescript_check.program import Program as Checked
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.rendering import render
from tests.language import specifications
from tests.language.edits import edits
from tests.language.observed import Observed, observe
from tests.language.specifications import Program

PROGRAMS = [program for chapter in specifications.chapters() for program in specifications.programs(chapter)]


def each_program(programs: list[Program]) -> pytest.MarkDecorator:
    """Runs a test for each of some programs, named as in `sizes/division-2`."""
    return pytest.mark.parametrize("program", programs, ids=[f"{p.chapter}/{p.name}" for p in programs])


def test_programs_have_names_of_their_own() -> None:
    names = [(p.chapter, p.name) for p in PROGRAMS]
    assert sorted(names) == sorted(set(names))


def check(program: Program) -> Checked:
    return Checker().check(program.path, program.text, hints=True)


@each_program(PROGRAMS)
def test_what_is_found_is_what_the_lines_say(program: Program) -> None:
    checked = check(program)
    found = observe(checked)
    wrong = [*_wrong_diagnostics(program, checked), *_wrong_types(program, found)]
    assert not wrong, "\n".join(["", *wrong, "", printed(checked)])


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


def printed(checked: Checked) -> str:
    """Everything that `shapescript check` prints about a program."""
    return render("text", [(checked.source, list(checked.diagnostics))])


@each_program([p for p in PROGRAMS if p.snapshot is not None])
def test_messages_are_as_shown(program: Program, update_snapshots: bool) -> None:
    text = printed(check(program)).rstrip("\n") + "\n"
    if update_snapshots and text != program.snapshot:
        current = next(p for p in specifications.programs(program.chapter) if p.name == program.name)
        program.file.write_text(specifications.with_snapshot(current, text), encoding="utf-8")
        return
    assert text == program.snapshot


@each_program([p for p in PROGRAMS if p.python])
def test_programs_compute_what_they_say(program: Program) -> None:
    torch = pytest.importorskip("torch")
    devices = None if program.text.startswith("devices ") else "cpu"
    module = shapescript.compile(program.text, program.path, devices=devices)
    names = {"m": module, "torch": torch, "pytest": pytest, "shapescript": shapescript}
    for at, code in program.python:
        # Line breaks before the code make a traceback point into the chapter.
        exec(compile("\n" * (at - 1) + code, str(program.file), "exec"), names)


@each_program(PROGRAMS)
def test_an_edited_program_is_checked_as_a_fresh_one(program: Program) -> None:
    whole = check(program)
    found = observe(whole)
    warm = Checker()
    for what, text in edits(program.text):
        expected = found if text == program.text else observe(Checker().check(program.path, text, hints=True))
        assert observe(warm.check(program.path, text, hints=True)) == expected, what
    again = warm.check(program.path, program.text)
    if not again.has_errors:
        assert python(again) == python(whole)


def python(checked: Checked) -> str:
    """The code that is generated for a program."""
    return ast.unparse(generate(checked, Options()))
