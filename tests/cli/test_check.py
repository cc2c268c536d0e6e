"""`shapescript check`: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import environment, python, shapescript
from tests.cli.programs import GOOD, SWAPPED, UNKNOWN


def write(folder: Path, name: str, text: str | bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_good_file(tmp_path: Path) -> None:
    write(tmp_path, "good.ss", GOOD)
    result = shapescript("check", "good.ss", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "1 file checked, no problems\n", "")


def test_a_file_with_an_error_is_shown_with_the_place_underlined(tmp_path: Path) -> None:
    write(tmp_path, "unknown.ss", UNKNOWN)
    result = shapescript("check", "unknown.ss", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("error[E0301]: ")
    assert lines[1:4] == [" --> unknown.ss:1:23", "  |", "1 | fn f(x: [n]) -> [n] = y"]
    assert lines[4].startswith("  |                       ^")
    assert lines[-1] == "1 file checked, 1 error"


def test_swapped_names_in_an_einsum(tmp_path: Path) -> None:
    write(tmp_path, "weighted.ss", SWAPPED)
    as_json = shapescript("check", "--output-format", "json", "weighted.ss", cwd=tmp_path)
    (found,) = json.loads(as_json.stdout)
    assert found["code"] == "E0408"
    result = shapescript("check", "weighted.ss", cwd=tmp_path)
    assert result.returncode == 1
    label, operand = (x["message"] for x in found["labels"])
    assert result.stdout.splitlines() == [
        f"error[E0408]: {found['message']}",
        " --> weighted.ss:4:38",
        "  |",
        "4 |     return einsum(weights, values: b m n, b m D -> b n D)",
        f"  |                   -------            ^ {label}",
        "  |                   |",
        f"  |                   {operand}",
        "  |",
        *(f"  = note: {note}" for note in found["notes"]),
        f"  = help: {found['help']}",
        "",
        "1 file checked, 1 error",
    ]


def test_several_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path, "a/one.ss", GOOD)
    write(tmp_path, "a/b/two.ss", GOOD)
    write(tmp_path, "a/b/notes.txt", "x")
    write(tmp_path, "a/.venv/three.ss", UNKNOWN)
    write(tmp_path, "four.ss", UNKNOWN)
    result = shapescript("check", "a", "a/one.ss", "four.ss", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "3 files checked, 1 error"
    assert "four.ss" in result.stdout
    assert ".venv" not in result.stdout


def test_a_folder_without_programs_is_a_wrong_command_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = shapescript("check", "empty", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (2, "shapescript: error: no .ss files in empty\n")


@pytest.mark.parametrize("name", ["missing.ss", "good.ss/inside.ss", "a\nb.ss", "loop.ss"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    write(tmp_path, "good.ss", GOOD)
    (tmp_path / "loop.ss").symlink_to("loop.ss")
    result = shapescript("check", name, "good.ss", cwd=tmp_path)
    assert result.returncode == 2
    shown = name.replace("a\nb.ss", "'a\\nb.ss'")
    assert result.stderr.startswith(f"shapescript: error: cannot read {shown}: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == "1 file checked, no problems\n", "the other file is still checked"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    write(tmp_path, "secret.ss", GOOD)
    (tmp_path / "secret.ss").chmod(0)
    result = shapescript("check", "secret.ss", cwd=tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("arguments", [[], ["--nonsense", "x.ss"], ["x.ss", "--output-format", "xml"]])
def test_a_wrong_command_line(tmp_path: Path, arguments: list[str]) -> None:
    result = shapescript("check", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert "usage: shapescript check" in result.stderr
    assert result.stdout == ""


def test_standard_input(tmp_path: Path) -> None:
    result = shapescript("check", "-", cwd=tmp_path, stdin=UNKNOWN)
    assert result.returncode == 1
    assert " --> <stdin>:1:23" in result.stdout


HOSTILE = {
    "empty": b"",
    "only line breaks": b"\n\n\r\n\n",
    "only comments": b"# nothing\n## to see\n" * 50,
    "byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "windows line ends": GOOD.replace("\n", "\r\n").encode(),
    "old mac line ends": GOOD.replace("\n", "\r").encode(),
    "tabs": GOOD.encode() + b"fn f(x: [n]) -> [n]:\n\treturn x\n",
    "random bytes": bytes(range(256)) * 64,
    "a bad byte late": GOOD.encode() + b"# \xff\n",
    "nul bytes": GOOD.encode() + b"\0" * 10,
    "utf-16": GOOD.encode("utf-16"),
    "lone surrogate in utf-8": b"# \xed\xa0\x80\n",
    "one long line": b"dim D = " + b"1 + " * 250_000 + b"1\n",
    "one long name": b"x" * 1_000_000,
    "one long comment": b"#" + b"x" * 1_000_000,
    "open brackets": b"dim D = " + b"(" * 10_000,
    "nested brackets": b"dim D = " + b"(" * 10_000 + b"1" + b")" * 10_000 + b"\n",
    "nested indexing": b"fn f(x: [n]) -> [n] = " + b"x[" * 10_000 + b"0" + b"]" * 10_000 + b"\n",
    "closing brackets": b")" * 10_000,
    "many blocks": b"fn f(x: [n]) -> [n]:\n" + b"".join(b" " * n + b"if x:\n" for n in range(1, 500)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_whatever_the_file_holds_the_answer_is_no_traceback(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, "hostile.ss", data)
    result = shapescript("check", "--output-format", "json", "hostile.ss", cwd=tmp_path)
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert result.returncode == int(any(d["severity"] == "error" for d in found))
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    for diagnostic in found:
        assert 1 <= diagnostic["line"] <= len(lines)
        assert 1 <= diagnostic["column"] <= len(lines[diagnostic["line"] - 1]) + 1
    assert shapescript("check", "hostile.ss", cwd=tmp_path).returncode == result.returncode


@pytest.mark.parametrize(
    ("data", "line", "column", "what"),
    [
        (b"fn f\n# \xc3\xa9\xe9\n", 2, 4, "byte 0xe9 isn't UTF-8"),
        (b"\xef\xbb\xbffn\xff", 1, 3, "byte 0xff isn't UTF-8"),
        (b"dim D = 4\n\0", 2, 1, "a NUL byte isn't text"),
    ],
)
def test_bytes_that_are_no_text_are_pointed_at(
    tmp_path: Path, data: bytes, line: int, column: int, what: str
) -> None:
    write(tmp_path, "binary.ss", data)
    result = shapescript("check", "--output-format", "json", "binary.ss", cwd=tmp_path)
    (diagnostic,) = json.loads(result.stdout)
    assert (diagnostic["code"], diagnostic["line"], diagnostic["column"]) == ("E0101", line, column)
    assert diagnostic["message"].startswith(what)


def test_colours_are_for_terminals_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path, "unknown.ss", UNKNOWN)
    assert "\x1b" not in shapescript("check", "unknown.ss", cwd=tmp_path).stdout
    assert "\x1b[1;31m" in shapescript("check", "--color", "always", "unknown.ss", cwd=tmp_path).stdout
    forced = shapescript("check", "unknown.ss", cwd=tmp_path, env={"FORCE_COLOR": "1"})
    assert "\x1b[1;31m" in forced.stdout
    never = shapescript("check", "--color", "never", "unknown.ss", cwd=tmp_path, env={"FORCE_COLOR": "1"})
    assert "\x1b" not in never.stdout


def test_an_output_that_is_closed_early_is_no_traceback(tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path, f"{number}.ss", UNKNOWN * 200)
    command = [sys.executable, "-m", "shapescript", "check", "."]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_letters_that_the_terminal_does_not_have_are_escaped(tmp_path: Path) -> None:
    write(tmp_path, "unknown.ss", "fn f(x: [n]) -> [n] = größe\n")
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = shapescript("check", "unknown.ss", cwd=tmp_path, env=env)
    assert (result.returncode, result.stderr) == (1, "")
    assert "gr\\xf6\\xdfe" in result.stdout


def test_checking_loads_neither_torch_nor_what_takes_long_to_load(tmp_path: Path) -> None:
    write(tmp_path, "unknown.ss", UNKNOWN)
    script = (
        "import sys; from shapescript.cli import main; main(['check', 'unknown.ss']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    loaded = set(python("-c", script, cwd=tmp_path).stderr.split())
    assert "shapescript_check" in loaded
    heavy = {
        "torch",
        "numpy",
        "shapescript_runtime",
        "argparse",
        "ast",
        "asyncio",
        "dataclasses",
        "email",
        "importlib.metadata",
        "inspect",
        "json",
        "pathlib",
        "subprocess",
        "typing_extensions",
        "unittest",
    }
    assert loaded & heavy == set()
