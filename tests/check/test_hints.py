"""Hints: when a number and a name were probably meant to be one size, and who gets to see hints at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapescript_check import Checker
from shapescript_syntax.diagnostics import Diagnostic
from tests.cli.commands import shapescript


def hints(text: str) -> list[Diagnostic]:
    return [d for d in Checker().check("a.ss", text, hints=True).diagnostics if d.severity == "hint"]


def marked(text: str) -> list[str]:
    """What the hints H2201 about a program point at."""
    found = hints(text)
    assert {d.code for d in found} <= {"H2201"}
    return [text[d.span.start : d.span.end] for d in found]


def signature(parameters: str, returns: str) -> str:
    return f'extern fn f({parameters}) -> {returns} = "torch.f"\n'


# --- grouped sizes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "returns", "pairs"),
    [
        ("x: [b 4 k]", "[(b k)]", ["4 k"]),
        ("x: [b 4 k 4 m]", "[b (k m)]", ["4 k", "4 m"]),
        ("x: [(k m)]", "[4 k]", ["4 k"]),
        ("x: [b], y: [4   k]", "[(b k)]", ["4   k"]),
        ("x: [4 k]", "[((k m) b)]", ["4 k"]),
        ("x: [2 4 k]", "[(b k)]", ["4 k"]),
    ],
)
def test_a_number_and_a_name_that_is_part_of_a_group(parameters: str, returns: str, pairs: list[str]) -> None:
    assert marked(signature(parameters, returns)) == pairs


@pytest.mark.parametrize(
    ("why", "parameters", "returns"),
    [
        ("one axis", "x: [b 4k]", "[(b k)]"),
        ("1 k is no grouped size that anybody writes", "x: [b 1 k]", "[(b k)]"),
        ("the name is an axis of its own elsewhere", "x: [2 n], y: [(b n)]", "[n]"),
        ("also in the same type", "x: [2 n n]", "[(b n)]"),
        ("also as such a pair", "x: [2 n], y: [3 n]", "[(b n)]"),
        ("the name is part of no group", "x: [2 n]", "[2 n]"),
        ("it is only part of a grouped size", "x: [b 4k]", "[b 4 k]"),
        ("it is written as a grouped size elsewhere", "x: [b 4k], y: [4 k]", "[(b k)]"),
        ("or as one in a group", "x: [4 k]", "[(b 4k)], y: [(k b)]"),
        ("the pair is in the group", "x: [b]", "[(4 k b)]"),
        ("the number comes after the name", "x: [k 4]", "[(b k)]"),
        ("something is between them", "x: [4 (c d) k]", "[(c d k)]"),
    ],
)
def test_other_numbers_beside_names(why: str, parameters: str, returns: str) -> None:
    assert marked(signature(parameters, returns)) == [], why


def test_dims_are_names_of_their_own() -> None:
    text = signature("x: [b 4 K]", "[(b K)]")
    assert marked(text) == ["4 K"]
    assert marked("dim K = 3\n" + text) == []
    assert marked(text + "dim K = 3\n") == []
    assert marked("dim K = K\n" + text) == []


def test_shape_aliases_count_as_the_axes_they_stand_for() -> None:
    text = signature("x: [b 4 k], y: Rows", "[b]")
    assert marked("dim Rows = [(k m)]\n" + text) == ["4 k"]
    assert marked("dim Rows = [(k m) k]\n" + text) == []
    assert marked("dim Rows = [Inner k]\ndim Inner = [(k m)]\n" + text) == []
    assert marked("dim Rows = [(k m) 4k]\n" + text) == []
    assert marked("dim Rows = [Rows (k m)]\n" + text) == []
    inside = signature("x: [b 4 k], y: [Rows 2]", "[b]")
    assert marked("dim Rows = [(k m)]\n" + inside) == ["4 k"]


def test_functions_with_bodies_have_signatures_too() -> None:
    text = "fn f(x: [b 4 k]) -> [(b k)]:\n    return x[:, 0] |> rearrange(b k -> (b k))\n"
    assert marked(text) == ["4 k"]
    assert marked("export " + text) == ["4 k"]


def test_the_hint_says_what_to_write_and_where_the_group_is() -> None:
    text = signature("x: [b 16 gh]", "[(b gh)]")
    (hint,) = hints(text)
    assert hint.message == "`16 gh` is two axes: did you mean `16gh`?"
    assert [(text[x.span.start : x.span.end], x.message) for x in hint.labels if x.span] == [
        ("(b gh)", "`gh` is part of a group")
    ]
    assert [edit for fix in hint.fixes for edit in fix.edits] == [(hint.span, "16gh")]
    alias = "dim Rows = [(b gh)]\n" + signature("x: [b 16 gh]", "Rows")
    (hint,) = hints(alias)
    assert [alias[x.span.start : x.span.end] for x in hint.labels if x.span] == ["Rows"]


@pytest.mark.parametrize("name", ["e5", "_5"])
def test_a_name_that_would_join_to_a_number_is_put_in_a_group(name: str) -> None:
    (hint,) = hints(signature(f"x: [b 16 {name}]", f"[(b {name})]"))
    assert hint.fixes[0].edits[0][1] == f"({name} 16)"


# --- who sees hints ----------------------------------------------------------------------------------------

PROGRAM = """\
devices cpu

# Twice $\\aplha$.
fn twice(x: [n]) -> [n] = x + x

## Three times ${$.
fn thrice(x: [n]) -> [n] = x * 3.0
"""


def test_hints_are_given_only_when_asked_for() -> None:
    checker = Checker()
    assert checker.check("a.ss", PROGRAM).diagnostics == ()
    assert checker.kept("a.ss").hints.computed == []
    found = checker.check("a.ss", PROGRAM, hints=True).diagnostics
    assert [(d.code, PROGRAM[d.span.start : d.span.end]) for d in found] == [
        ("H0601", "\\aplha"),
        ("H0602", "{"),
    ]


def test_hints_come_in_order_with_everything_else() -> None:
    text = "fn f(x: [n]) -> [n] = y  # $\\foo$\nfn g(x: [n]) -> [n] = z  # ${$\n"
    found = Checker().check("a.ss", text, hints=True).diagnostics
    assert [d.code for d in found] == ["E0301", "H0601", "E0301", "H0602"]


def test_an_edit_redoes_the_hints_that_it_changes() -> None:
    checker = Checker()
    kept = checker.kept("a.ss").hints

    def redone(text: str) -> int:
        kept.computed.clear()
        program = checker.check("a.ss", text, hints=True)
        assert program.diagnostics == Checker().check("a.ss", text, hints=True).diagnostics
        return len(kept.computed)

    assert redone(PROGRAM) == 3
    assert redone(PROGRAM) == 0
    assert redone("\n\n" + PROGRAM) <= 1
    assert redone(PROGRAM.replace("3.0", "4.0")) <= 2
    grouped = PROGRAM + signature("x: [b 4 k]", "[(b k)]")
    redone(grouped)
    assert redone(grouped + "dim k = 3\n") == 2


def test_check_shows_hints_and_succeeds(tmp_path: Path) -> None:
    (tmp_path / "a.ss").write_text(PROGRAM, encoding="utf-8")
    result = shapescript("check", "a.ss", cwd=tmp_path)
    assert result.returncode == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("hint")] == [
        "hint[H0601]: math in comments has no command `\\aplha`",
        "hint[H0602]: this `{` is never closed",
    ]
    assert result.stdout.endswith("1 file checked, 2 hints\n")


def test_build_shows_none(tmp_path: Path) -> None:
    (tmp_path / "a.ss").write_text(PROGRAM, encoding="utf-8")
    result = shapescript("build", "a.ss", "-o", "a.py", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "hint" not in result.stdout
