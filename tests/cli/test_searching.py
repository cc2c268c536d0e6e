"""Where an interpreter looks for modules: which one is asked, and when it is asked again."""

from __future__ import annotations

import os
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from shapescript.searching import InterpreterError, interpreter_path


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a cache folder of their own and no environment; the folder."""
    for name in ("VIRTUAL_ENV", "SHAPESCRIPT_PYTHON", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHAPESCRIPT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    return folder


def program(environment: Path) -> Path:
    return Path(sysconfig.get_path("scripts", "venv", vars={"base": str(environment)})) / "python"


def packages(environment: Path) -> str:
    variables = {"base": str(environment), "platbase": str(environment)}
    return sysconfig.get_path("purelib", "venv", vars=variables)


def never_asked(*_: object, **__: object) -> None:
    raise AssertionError("the interpreter was asked")


def test_the_option_counts_before_the_variables(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHAPESCRIPT_PYTHON", sys.executable)
    assert packages(environment) not in interpreter_path()
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    assert packages(environment) in interpreter_path()
    assert packages(environment) not in interpreter_path(sys.executable)
    monkeypatch.delenv("VIRTUAL_ENV")
    monkeypatch.setenv("SHAPESCRIPT_PYTHON", str(program(environment)))
    assert packages(environment) in interpreter_path()


def test_without_any_it_is_the_python_that_runs_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", never_asked)
    assert os.path.dirname(pytest.__path__[0]) in interpreter_path()


def test_the_current_folder_and_what_is_not_there_are_left_out(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = interpreter_path(str(program(environment)))
    assert path
    assert all(os.path.isabs(folder) and os.path.isdir(folder) for folder in path)
    assert str(tmp_path) not in path


def test_the_answer_is_kept_until_a_package_is_installed(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = str(program(environment))
    before = interpreter_path(python)
    with monkeypatch.context() as patched:
        patched.setattr("subprocess.run", never_asked)
        assert interpreter_path(python) == before
    link = Path(packages(environment)) / "editable.pth"
    link.write_text(f"{tmp_path}\n")
    try:
        assert interpreter_path(python) == [*before, str(tmp_path)]
    finally:
        link.unlink()
    assert interpreter_path(python) == before


def test_another_pythonpath_is_another_answer(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = str(program(environment))
    assert str(tmp_path) not in interpreter_path(python)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert interpreter_path(python)[0] == str(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"path": 3}', "\0"])
def test_a_damaged_answer_is_asked_again(environment: Path, user: Path, text: str) -> None:
    before = interpreter_path(str(program(environment)))
    (entry,) = (user / "interpreters").iterdir()
    entry.write_text(text)
    assert interpreter_path(str(program(environment))) == before


def test_where_nothing_can_be_kept_it_is_asked_each_time(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SHAPESCRIPT_CACHE_DIR", str(tmp_path / "file"))
    assert packages(environment) in interpreter_path(str(program(environment)))


def test_an_interpreter_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InterpreterError, match="no interpreter no-such-python, which --python names"):
        interpreter_path("no-such-python")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    with pytest.raises(InterpreterError, match=r"which \$VIRTUAL_ENV names"):
        interpreter_path()


@pytest.mark.skipif(os.name == "nt", reason="a script that is a program needs a #! line")
def test_a_program_that_is_no_python_is_named_with_what_it_says(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 'not today' >&2\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(InterpreterError, match="doesn't say where its modules are: not today"):
        interpreter_path(str(script))
