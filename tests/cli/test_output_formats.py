"""The output formats that are for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shapescript_syntax.diagnostics import Diagnostic, Fix, Label
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source, Span
from tests.cli.commands import shapescript
from tests.cli.programs import SWAPPED, UNKNOWN

SOURCE = Source("a folder/naïve: 1,2.ss", "dim Ä = 1\nfn f(x: [n]) -> [n] = y\n")
Y = SOURCE.text.index("y")
DIAGNOSTIC = Diagnostic(
    "E0301",
    "unknown name `y`: 100% wrong",
    Span(Y, Y + 1),
    label="not declared",
    labels=(Label(Span(4, 5), "the only dim"),),
    notes=("a note\nof two lines",),
    help="write `x`",
    fixes=(Fix("use `x`", ((Span(Y, Y + 1), "x"),)),),
)
LONG = Diagnostic("H0101", "two lines", Span(4, Y))


def test_json_has_every_field_with_positions_in_characters_from_1() -> None:
    (found,) = json.loads(render("json", [(SOURCE, [DIAGNOSTIC])]))
    there = {"file": SOURCE.path, "line": 2, "column": 23, "end_line": 2, "end_column": 24}
    assert found == {
        "code": "E0301",
        "severity": "error",
        "message": "unknown name `y`: 100% wrong",
        **there,
        "labels": [
            {**there, "message": "not declared"},
            {
                "file": SOURCE.path,
                "line": 1,
                "column": 5,
                "end_line": 1,
                "end_column": 6,
                "message": "the only dim",
            },
        ],
        "notes": ["a note\nof two lines"],
        "help": "write `x`",
    }


def test_json_of_nothing_is_an_empty_array() -> None:
    assert json.loads(render("json", [(SOURCE, [])])) == []


def test_json_of_several_files_is_one_array(tmp_path: Path) -> None:
    for name in ("a.ss", "b.ss"):
        (tmp_path / name).write_text(UNKNOWN)
    result = shapescript("check", "--output-format", "json", "a.ss", "b.ss", cwd=tmp_path)
    assert result.returncode == 1
    assert [(d["file"], d["code"], d["line"], d["column"]) for d in json.loads(result.stdout)] == [
        ("a.ss", "E0301", 1, 23),
        ("b.ss", "E0301", 1, 23),
    ]


def test_workflow_commands_are_one_line_each_and_escaped() -> None:
    first, second = render("github", [(SOURCE, [DIAGNOSTIC, LONG])]).splitlines()
    assert first == (
        "::error file=a folder/naïve%3A 1%2C2.ss,line=2,col=23,endLine=2,endColumn=24,title=error[E0301]::"
        "unknown name `y`: 100%25 wrong%0Anot declared%0A1:5: the only dim"
        "%0Anote: a note%0Aof two lines%0Ahelp: write `x`"
    )
    assert second == (
        "::notice file=a folder/naïve%3A 1%2C2.ss,line=1,endLine=2,title=hint[H0101]::two lines"
    ), "columns are only allowed within one line"


def sarif(*diagnostics: Diagnostic, path: str = SOURCE.path) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(render("sarif", [(Source(path, SOURCE.text), diagnostics)]))
    return log


def test_sarif_keeps_the_rules_of_its_schema() -> None:
    log = sarif(DIAGNOSTIC, LONG, DIAGNOSTIC)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "results"}
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "shapescript"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["E0301", "H0101"]
    for result in run["results"]:
        assert set(result) <= {
            "ruleId",
            "ruleIndex",
            "level",
            "message",
            "locations",
            "relatedLocations",
            "fixes",
        }
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            region = location["physicalLocation"]["region"]
            assert min(region["startLine"], region["startColumn"]) >= 1
            start, end = (
                (region["startLine"], region["startColumn"]),
                (region["endLine"], region["endColumn"]),
            )
            assert start <= end
    assert len({location["id"] for location in run["results"][0]["relatedLocations"]}) == 1


def test_sarif_says_where_what_and_how_to_mend_it() -> None:
    (result,) = sarif(DIAGNOSTIC)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20folder/na%C3%AFve%3A%201%2C2.ss"
    assert place["region"] == {"startLine": 2, "startColumn": 23, "endLine": 2, "endColumn": 24}
    assert result["level"] == "error"
    assert "unknown name `y`" in result["message"]["text"]
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert fix["description"]["text"] == "use `x`"
    assert change["replacements"] == [{"deletedRegion": place["region"], "insertedContent": {"text": "x"}}]


def test_sarif_of_an_absolute_path_is_a_file_uri() -> None:
    (result,) = sarif(DIAGNOSTIC, path="/home/a b/m.ss")["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///home/a%20b/m.ss"


def test_sarif_rules_come_from_the_catalogue(tmp_path: Path) -> None:
    (tmp_path / "similarity.ss").write_text(SWAPPED)
    result = shapescript("check", "--output-format", "sarif", "similarity.ss", cwd=tmp_path)
    (rule,) = json.loads(result.stdout)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "E0408"
    assert rule["help"]["markdown"].startswith(f"# E0408: {rule['shortDescription']['text']}\n")
    assert rule["defaultConfiguration"] == {"level": "error"}


@pytest.mark.parametrize("output_format", ["json", "github", "sarif"])
def test_formats_for_programs_have_no_summary_and_no_colours(tmp_path: Path, output_format: str) -> None:
    (tmp_path / "a.ss").write_text(UNKNOWN)
    result = shapescript("check", "--color", "always", "--output-format", output_format, "a.ss", cwd=tmp_path)
    assert "checked" not in result.stdout
    assert "\x1b" not in result.stdout
