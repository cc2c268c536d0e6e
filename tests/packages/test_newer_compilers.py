"""A .ss file of a package that a newer compiler built is refused at the import, not read and misunderstood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import shapescript


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "layers.ss").write_text("a language of the future\n")
    (tmp_path / "main.ss").write_text("import extra.layers\n\nfn f(x: [n]) -> [n] = layers.doubled(x)\n")
    return tmp_path


def test_the_import_says_which_compiler_is_needed(project: Path) -> None:
    (project / "extra" / "shapescript-build.toml").write_text('compiler = "9.3.1"\nruntime = "9.3.1"\n')
    result = shapescript("check", "main.ss", cwd=project)
    assert result.returncode == 1
    assert "error[E2901]: `extra/layers.ss` was built by ShapeScript 9.3.1" in result.stdout
    assert " --> main.ss:1:8" in result.stdout
    assert "shapescript>=9.3" in result.stdout
    assert result.stdout.count("error[") == 1


def test_what_an_older_compiler_built_is_read(project: Path) -> None:
    (project / "extra" / "shapescript-build.toml").write_text('compiler = "0.0.7"\nruntime = "0.0.7"\n')
    (project / "extra" / "layers.ss").write_text("fn doubled(x: [n]) -> [n] = x * 2.0\n")
    assert shapescript("check", "main.ss", cwd=project).returncode == 0
