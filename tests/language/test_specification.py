"""Holds the compiler to the specification: every program of every chapter, one test each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import shapescript
from shapescript_check import Checker
from shapescript_check.codegen import Options, generate
from shapescript_check.program import Program as Checked
from shapescript_syntax.rendering import render
from tests.language import specifications
from tests.language.comparing import found_otherwise
from tests.language.edits import edits
from tests.language.observed import observe
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
    wrong = found_otherwise(program, checked)
    assert not wrong, "\n".join(["", *wrong, "", printed(checked)])


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


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that relative paths start from."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_workers() -> Iterator[None]:
    """Datasets are loaded by this process: no other could import what is defined in a chapter."""
    before = shapescript.loader_workers(0)
    yield
    shapescript.loader_workers(before)


@each_program([p for p in PROGRAMS if p.python])
def test_programs_compute_what_they_say(program: Program, empty_folder: None, no_workers: None) -> None:
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
