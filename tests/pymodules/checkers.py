"""Type checkers as people run them: pyright and mypy, over files of a folder."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.cli.commands import python


class Finding(NamedTuple):
    """What a type checker says about a line of a file. `kind` is `error` or `note`, `rule` the checker's own name."""

    file: str
    line: int
    kind: str
    rule: str
    message: str


def pyright(folder: Path, *files: str, interpreter: str | Path = sys.executable) -> list[Finding]:
    """What pyright finds in files of a folder, with the settings that it has of its own accord.

    Packages are those that `interpreter` has.
    """
    # Its wrapper would ask whether there is a newer version.
    settings = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    result = python(
        "-m", "pyright", "--outputjson", "--pythonpath", str(interpreter), *files, cwd=folder, env=settings
    )
    assert result.stdout.startswith("{"), result.stdout + result.stderr
    found = json.loads(result.stdout)["generalDiagnostics"]
    kinds = {"information": "note"}
    return [
        Finding(
            Path(d["file"]).name,
            d["range"]["start"]["line"] + 1,
            kinds.get(d["severity"], d["severity"]),
            d.get("rule", ""),
            d["message"].split("\n")[0],
        )
        for d in found
    ]


_LINE = re.compile(
    r"(?P<file>[\w.]+):(?P<line>\d+): (?P<kind>error|note): (?P<message>.*?)(  \[(?P<rule>.+)\])?$"
)


def mypy(folder: Path, *files: str, interpreter: str | Path = sys.executable) -> list[Finding]:
    """What mypy finds in files of a folder, strictly. Packages are those that `interpreter` has."""
    # One cache for all tests of a run: what mypy learns of torch takes it half a minute.
    options = [
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        f"--cache-dir={folder.parent / 'mypy'}",
        f"--python-executable={interpreter}",
    ]
    result = python("-m", "mypy", *options, *files, cwd=folder)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = []
    for line in result.stdout.splitlines():
        match = _LINE.match(line)
        assert match, line
        kind, rule = match["kind"], match["rule"] or ""
        found.append(Finding(match["file"], int(match["line"]), kind, rule, match["message"]))
    return found


def errors(found: Iterable[Finding]) -> list[tuple[str, int, str]]:
    """Where what was found is wrong, and by which rule."""
    return sorted((f.file, f.line, f.rule) for f in found if f.kind != "note")


def revealed(found: Iterable[Finding]) -> list[str]:
    """The types that `reveal_type` shows, in the order of the lines."""
    patterns = (r'Type of ".*" is "(.*)"', r'Revealed type is "(.*)"')
    notes = sorted((f.line, f.message) for f in found if f.kind == "note")
    matches = (re.fullmatch(pattern, message) for _, message in notes for pattern in patterns)
    return [match[1] for match in matches if match]
