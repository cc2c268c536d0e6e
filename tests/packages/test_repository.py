"""Promises that the repository's own files make to somebody who cloned it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.packages.projects import PROJECTS, ROOT

TRACKED = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
pytestmark = pytest.mark.skipif(TRACKED.returncode != 0, reason="not a git checkout")


@cache
def texts() -> dict[Path, str]:
    """The text of every tracked file that is text, by its path from the root."""
    found = {}
    for name in TRACKED.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            try:
                found[Path(name)] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found


def markdown() -> list[Path]:
    return [path for path in texts() if path.suffix == ".md"]


def test_no_file_names_a_folder_of_this_machine() -> None:
    places = {str(ROOT), str(Path.home())} - {"/"}
    pattern = re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, places))})/")
    named = [f"{path}: {found[0]}" for path, text in texts().items() if (found := pattern.search(text))]
    assert not named


def test_readme_gives_the_two_commands_that_ci_runs() -> None:
    commands = [
        line for line in texts()[Path("README.md")].splitlines() if line.startswith("pip install nox")
    ]
    assert commands == ["pip install nox && nox -s demo", "pip install nox && nox -s tests"]
    script = texts()[Path(".ci/run")]
    # .ci/run takes them out of the README; it must ask for both.
    assert re.findall(r"readme_command (\w+)\)", script) == ["demo", "tests"]
    sessions = {
        node.name for node in ast.parse(texts()[Path("noxfile.py")]).body if isinstance(node, ast.FunctionDef)
    }
    assert {"demo", "tests", *re.findall(r'^attempt "nox -s (\w+)"$', script, re.MULTILINE)} <= sessions


def test_constraints_pin_everything_they_name() -> None:
    lines = texts()[Path("constraints.txt")].splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in pins)
    names = [line.partition("==")[0].lower().replace("_", "-") for line in pins]
    assert names == sorted(set(names))


def test_every_project_tells_its_history() -> None:
    for project in PROJECTS.values():
        changelog = (project.folder / "CHANGELOG.md").read_text(encoding="utf-8")
        assert re.search(rf"^## \[?({re.escape(project.version)}|Unreleased)\]?", changelog, re.MULTILINE)


@pytest.mark.parametrize("page", markdown(), ids=str)
def test_links_between_pages_resolve(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", texts()[page], flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose)):
        file = target.partition("#")[0]
        if file and not re.match(r"[a-z]+:", file):
            assert (ROOT / page.parent / file).exists(), f"{page} links to {target}"


def test_shapescript_in_the_readme_checks(tmp_path: Path) -> None:
    programs = re.findall(
        r"^```shapescript\n(.*?)^```$", texts()[Path("README.md")], re.MULTILINE | re.DOTALL
    )
    assert programs
    for number, program in enumerate(programs, start=1):
        file = tmp_path / f"readme_{number}.ss"
        file.write_text(program, encoding="utf-8")
        command = [sys.executable, "-m", "shapescript", "check", "--output-format", "json", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        assert json.loads(result.stdout) == []
