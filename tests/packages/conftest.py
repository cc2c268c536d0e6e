"""What tests of packages share: the six wheels, built once, and a process that forgets what it imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shapescript
from tests.packages.environments import run
from tests.packages.projects import PROJECTS


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel of each project, by the project's name."""
    folder = tmp_path_factory.mktemp("wheels")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run([*pip, "--wheel-dir", folder, *(project.folder for project in PROJECTS.values())], folder)
    built = {path.name.partition("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}
    assert set(built) == set(PROJECTS)
    return built


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process of its own that starts in `tmp_path`, but with torch loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield
    shapescript.uninstall()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or tmp_path).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the compiler a package that isn't installed."""
    monkeypatch.setitem(sys.modules, "shapescript.importing", None)
