"""Help, versions, explanations, and commands that there are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapescript import __version__
from shapescript.cli import COMMANDS
from shapescript.cli.markdown import to_terminal
from shapescript_syntax import catalogue
from tests.cli.commands import shapescript


def test_help_lists_the_commands(tmp_path: Path) -> None:
    for arguments in ([], ["--help"], ["-h"], ["help"]):
        result = shapescript(*arguments, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        assert all(f"\n  {name} " in result.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples_and_exit_codes(tmp_path: Path, command: str) -> None:
    result = shapescript(command, "--help", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"usage: shapescript {command} ")
    assert f"\nexamples:\n  shapescript {command} " in result.stdout
    assert "\nexit codes:\n" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 110


def test_the_version(tmp_path: Path) -> None:
    assert shapescript("--version", cwd=tmp_path).stdout == f"shapescript {__version__}\n"


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("chekc", "no command `chekc`: did you mean `check`?"),
        ("model.ss", "no command `model.ss`: to run that program, write `shapescript run model.ss`"),
        ("zzz", "no command `zzz`: there are check, build, run, new, pymodules, fmt, explain"),
    ],
)
def test_a_command_that_there_is_not(tmp_path: Path, command: str, what: str) -> None:
    result = shapescript(command, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"shapescript: error: {what}\n")


def test_explain_prints_what_the_catalogue_says(tmp_path: Path) -> None:
    entry = catalogue.load("E1005")
    assert entry is not None
    for code in ("E1005", "e1005"):
        result = shapescript("explain", code, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        lines = result.stdout.splitlines()
        assert lines[0] == f"E1005: {entry.title}"
        for line in entry.example.text.splitlines():
            assert f"    {line}" in lines
    assert "\x1b[1m" in shapescript("explain", "--color", "always", "E1005", cwd=tmp_path).stdout


def test_explain_without_a_code_lists_every_code_by_area(tmp_path: Path) -> None:
    result = shapescript("explain", cwd=tmp_path)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert "10: Devices" in lines
    assert [line.split()[0] for line in lines if line.startswith("  ")] == catalogue.codes()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("W1005", "no code `W1005`: did you mean E1005?"),
        ("nonsense", "no code `NONSENSE`: `shapescript explain` lists all of them"),
        ("../E1005", "no code `../E1005`: did you mean E1005"),
    ],
)
def test_explain_suggests_codes_for_one_that_there_is_not(tmp_path: Path, code: str, what: str) -> None:
    result = shapescript("explain", code, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"shapescript: error: {what}")


def test_markdown_is_filled_to_the_width_of_the_terminal() -> None:
    markdown = (
        "# A `title`\n\nSome words and `code that is kept together` here.\n\n- one item\n  of a list\n- two\n"
    )
    assert to_terminal(markdown, width=30) == (
        "A `title`\n\nSome words and\n`code that is kept together`\nhere.\n\n- one item of a list\n- two\n"
    )
    fence = "Before.\n\n```shapescript\nfn f():\n\n    a\n```\n\nAfter.\n"
    assert to_terminal(fence, width=30) == "Before.\n\n    fn f():\n\n        a\n\nAfter.\n"
    assert to_terminal("See `x`.\n", width=30, color=True) == "See \x1b[36mx\x1b[0m.\n"
