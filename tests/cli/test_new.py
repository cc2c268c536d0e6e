"""`shapescript new`: what it makes, and which names it refuses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from shapescript import __version__
from shapescript.packaging import starting
from tests.cli.commands import shapescript


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_it_says_what_it_made_and_what_to_do_next(tmp_path: Path) -> None:
    result = shapescript("new", "shapes-extra", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    made, _, following = result.stdout.partition("\n\nnext\n")
    assert sorted(line.strip() for line in made.splitlines()[1:]) == files(tmp_path)
    assert following == "  cd shapes-extra\n  pip install -e '.[dev]'\n  pytest\n"
    # No word of a template is left open.
    texts = [path.read_text() for path in (tmp_path / "shapes-extra").rglob("*") if path.is_file()]
    assert not [word for text in texts for word in re.findall(r"@[A-Z]+@", text)]


def test_what_it_makes_is_as_the_commands_want_it(tmp_path: Path) -> None:
    shapescript("new", "Shapes.Extra", cwd=tmp_path)
    folder = tmp_path / "Shapes.Extra"
    assert (folder / "src" / "shapes_extra" / "model.ss").is_file()
    for command in (["check"], ["fmt", "--check"]):
        result = shapescript(*command, "src", cwd=folder)
        assert result.returncode == 0, result.stdout + result.stderr


def test_it_asks_for_a_compiler_with_the_same_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def project() -> dict[str, list[str]]:
        table = tomllib.loads(starting.new_files("shapes-extra")["pyproject.toml"])
        assert table["build-system"]["build-backend"] == "shapescript.build"
        extras = table["project"]["optional-dependencies"]
        return {
            "build": table["build-system"]["requires"],
            "run": table["project"]["dependencies"],
            "dev": extras["dev"],
        }

    short = ".".join(__version__.split(".")[:2])
    assert project()["build"] == [f"shapescript>={short}"]
    assert project()["dev"][0] == f"shapescript>={short}"
    # A pre-release names itself, since pip takes no other.
    monkeypatch.setattr("shapescript.__version__", "0.3.0b2")
    monkeypatch.setattr("shapescript_runtime.__version__", "1.4.2")
    assert project()["build"] == ["shapescript>=0.3.0b2"]
    assert project()["run"] == ["shapescript-runtime>=1.4,<2"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a b", "isn't a package's name"),
        ("../up", "isn't a package's name"),
        ("import", "can't be imported: `import` isn't a name in Python"),
        ("2d", "can't be imported: `2d` isn't a name in Python"),
        ("JSON", "would hide Python's own module `json`"),
        ("torch", "would hide the package `torch`"),
        ("shapescript-extra", "would hide the package `shapescript_extra`"),
    ],
)
def test_a_name_that_no_package_can_have_is_refused(tmp_path: Path, name: str, why: str) -> None:
    result = shapescript("new", name, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("shapescript: error: ")
    assert why in result.stderr
    assert files(tmp_path) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for arguments in (["shapes"], ["other", "--path", "shapes"], ["other", "--path", "file"]):
        result = shapescript("new", *arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert "is there already: choose another name or --path" in result.stderr
    assert files(tmp_path) == ["file", "shapes/mine.txt"]


def test_an_empty_folder_or_a_new_repository_is_filled(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    result = shapescript("new", "shapes", "--path", ".", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "pyproject.toml").is_file()
    assert "cd " not in result.stdout


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = shapescript("new", "shapes", "--path", "file/below", cwd=tmp_path)
    assert result.returncode == 2
    assert "cannot write file/below" in result.stderr
