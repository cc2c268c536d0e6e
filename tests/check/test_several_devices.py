"""Programs of several files on several devices: what is split is followed into other files, and told at the call."""

from __future__ import annotations

from shapescript_check import Checker
from shapescript_check.modules.files import Found
from shapescript_check.program import Program

ROWS = """\
dim Width = 4

data Row:
    x: [Width]

fn lengths(x: [n Width]) -> [n] = sums(x * x)

fn sums(x: [n Width]) -> [n] = x |> map(row => sum(row), over=n)

fn of_batch(batch: [b] Row) -> [b] = batch.x |> map(row => sum(row), over=b)

fn printed(x: [n Width]) -> [n]:
    print("lengths")
    return x |> map(row => norm(row), over=n)
"""

MAIN = """\
devices cuda[0 1]

import rows

fn loss(batch: [b] rows.Row) -> [] = mean(CALL)
"""


class Files:
    """Files that can be imported, by name."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts

    def find(self, module: str, importing: str) -> Found | None:
        shown = f"{module}.ss"
        return Found(shown, shown, shown, self.texts[module]) if module in self.texts else None


def told(program: Program) -> list[tuple[str, str, tuple[str, ...]]]:
    """The diagnostics of a program: each code, the text that it is at, and its notes."""
    text = program.source.text
    return [(d.code, text[d.span.start : d.span.end], d.notes) for d in program.diagnostics]


def found(call: str) -> list[tuple[str, str, tuple[str, ...]]]:
    text = MAIN.replace("CALL", call)
    return told(Checker().check("main.ss", text, importer=Files(rows=ROWS)))


def test_a_value_is_followed_through_the_functions_of_another_file() -> None:
    call = "rows.lengths(batch.x)"
    assert found(call) == [("E2404", call, ("the stage is at rows.ss:8:37",))]


def test_a_function_of_another_file_that_takes_a_batch_is_told_at_its_call() -> None:
    assert found("rows.of_batch(batch)") == [
        ("E2404", "rows.of_batch(batch)", ("the stage is at rows.ss:10:49",))
    ]


def test_what_prints_in_another_file_runs_in_the_controller_and_so_does_its_caller() -> None:
    assert [code for code, _, _ in found("rows.printed(batch.x)")] == ["E3501"]


def test_functions_of_another_file_that_get_whole_values_are_fine() -> None:
    assert [code for code, _, _ in found("batch.x * sum(rows.lengths(zeros([3 rows.Width])))")] == ["E3501"]


def test_the_call_that_gives_a_split_value_is_told_and_no_other() -> None:
    call = "rows.lengths(batch.x)"
    assert [at for _, at, _ in found(f"sum(rows.lengths(zeros([3 rows.Width]))) * {call}")] == [call]


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


def test_an_edit_of_another_file_is_noticed() -> None:
    text = MAIN.replace("CALL", "rows.lengths(batch.x)")
    files = Files(rows=ROWS)
    checker = Checker()
    assert [d.code for d in checker.check("main.ss", text, importer=files).diagnostics] == ["E2404"]
    files.texts["rows"] = ROWS.replace("x |> map(row => sum(row), over=n)", "sum(x, over=Width)")
    assert [d.code for d in checker.check("main.ss", text, importer=files).diagnostics] == ["E3501"]
    files.texts["rows"] = "\n" + ROWS
    (moved,) = checker.check("main.ss", text, importer=files).diagnostics
    assert moved.notes == ("the stage is at rows.ss:9:37",)
