"""`shapescript fmt`: which files it rewrites, and how it ends. What the layout is, the formatter's tests say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import shapescript
from tests.cli.programs import GOOD, UNKNOWN

UNTIDY = GOOD.replace("dim D = 4", "dim  D=4").replace("x * 2", "x*2")
UNREADABLE = "dim D = = 4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tidy.ss").write_text(GOOD)
    (tmp_path / "untidy.ss").write_text(UNTIDY)
    return tmp_path


def test_files_are_laid_out_in_place(folder: Path) -> None:
    result = shapescript("fmt", ".", cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (0, "untidy.ss laid out\n", "")
    assert (folder / "untidy.ss").read_text() == GOOD
    again = shapescript("fmt", ".", cwd=folder)
    assert (again.returncode, again.stdout) == (0, "")


def test_check_and_diff_write_nothing_and_fail_if_something_would_change(folder: Path) -> None:
    checked = shapescript("fmt", "--check", "tidy.ss", "untidy.ss", cwd=folder)
    assert (checked.returncode, checked.stdout) == (1, "untidy.ss would change\n")
    shown = shapescript("fmt", "--diff", "tidy.ss", "untidy.ss", cwd=folder)
    assert shown.returncode == 1
    lines = shown.stdout.splitlines()
    assert lines[:2] == ["--- untidy.ss", "+++ untidy.ss (laid out)"]
    assert "-dim  D=4" in lines
    assert "+dim D = 4" in lines
    assert (folder / "untidy.ss").read_text() == UNTIDY
    assert shapescript("fmt", "--check", "--diff", "tidy.ss", cwd=folder).returncode == 0


def test_a_file_that_does_not_parse_is_left_alone(folder: Path) -> None:
    (folder / "broken.ss").write_text(UNREADABLE)
    result = shapescript("fmt", ".", cwd=folder)
    assert result.returncode == 1
    assert result.stderr.startswith("error[E02")
    assert (folder / "broken.ss").read_text() == UNREADABLE
    assert (folder / "untidy.ss").read_text() == GOOD, "the others are laid out"


def test_a_file_with_other_errors_is_laid_out(folder: Path) -> None:
    (folder / "unknown.ss").write_text(UNKNOWN)
    assert shapescript("fmt", "unknown.ss", cwd=folder).returncode == 0


def test_line_ends_stay_what_they_are(folder: Path) -> None:
    (folder / "untidy.ss").write_bytes(UNTIDY.replace("\n", "\r\n").encode())
    assert shapescript("fmt", "untidy.ss", cwd=folder).returncode == 0
    assert (folder / "untidy.ss").read_bytes() == GOOD.replace("\n", "\r\n").encode()


def test_standard_input_goes_to_standard_output(folder: Path) -> None:
    result = shapescript("fmt", "-", cwd=folder, stdin=UNTIDY)
    assert (result.returncode, result.stdout) == (0, GOOD)


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    result = shapescript("fmt", "missing.ss", "untidy.ss", cwd=folder)
    assert result.returncode == 2
    assert result.stderr == "shapescript: error: cannot read missing.ss: no such file or directory\n"
    assert (folder / "untidy.ss").read_text() == GOOD
