"""Programs on several devices: what is split is followed into overloaded and generic functions."""

from __future__ import annotations

from shapescript_check import Checker
from shapescript_check.modules.files import Found
from shapescript_check.program import Program

GENERIC = """\
devices cuda[0 1]

data Row:
    x: []

model Sum:
    param w: [] = zeros

fn scaled(m: M, x: [n]) -> [n] = x |> map(v => v * m.w)

fn loss(m: Sum, batch: [b] Row) -> [] = mean(CALL)
"""


def told(program: Program) -> list[tuple[str, str, tuple[str, ...]]]:
    """The diagnostics of a program: each code, the text that it is at, and its notes."""
    text = program.source.text
    return [(d.code, text[d.span.start : d.span.end], d.notes) for d in program.diagnostics]


def found(call: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return told(Checker().check("main.ss", GENERIC.replace("CALL", call)))


def test_a_stage_of_a_generic_function_is_told_at_the_call_that_gives_a_split_value() -> None:
    assert found("scaled(m, batch.x)") == [("E2404", "scaled(m, batch.x)", ("the stage is at main.ss:9:39",))]


def test_a_generic_function_that_gets_whole_values_is_fine() -> None:
    assert [code for code, _, _ in found("batch.x * sum(scaled(m, zeros([3])))")] == ["E3501"]


def test_other_files_cant_be_imported() -> None:
    class Files:
        def find(self, module: str, importing: str) -> Found | None:
            return Found("rows", "rows.ss", "rows.ss", "dim Width = 4\n")

    text = "devices cuda[0 1]\n\nimport rows\n\nfn zero() -> [rows.Width] = zeros([rows.Width])\n"
    program = Checker().check("main.ss", text, importer=Files())
    assert [(code, at) for code, at, _ in told(program)] == [("E2306", "rows")]


def test_the_version_of_an_overloaded_function_is_followed() -> None:
    text = """\
devices cuda[0 1]

data Row:
    x: []

model Sum:
    param w: [] = zeros

model Map:
    param w: [] = zeros

fn score(m: Sum, x: [n]) -> [n] = x * m.w

fn score(m: Map, x: [n]) -> [n] = x |> map(v => v * 2.0)

fn loss(m: MODEL, batch: [b] Row) -> [] = mean(score(m, batch.x))
"""
    whole = Checker().check("main.ss", text.replace("MODEL", "Sum"))
    assert [code for code, _, _ in told(whole)] == ["E3501"]
    split = Checker().check("main.ss", text.replace("MODEL", "Map"))
    assert [(code, at) for code, at, _ in told(split)] == [("E2404", "map(v => v * 2.0)")]
