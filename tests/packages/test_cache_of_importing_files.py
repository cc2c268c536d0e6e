"""Compiled code of files that import others is used again only while every import finds the same file as it was."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.cli.commands import environment, python

# Says what `main.ss` computes, and which files were compiled for it.
RUN = textwrap.dedent(
    """
    import sys
    sys.path[:0] = sys.argv[1:]
    import shapescript.compiling as compiling
    compiled = []
    compile_bytes = compiling.compile_bytes
    def noting(data, path, *rest):
        compiled.append(path.rpartition("/")[2])
        return compile_bytes(data, path, *rest)
    compiling.compile_bytes = noting
    import shapescript
    shapescript.install()
    shapescript.devices("cpu")
    import torch
    import main
    print(main.go(torch.ones(2)).tolist(), *sorted(compiled))
    """
)


def run(folder: Path, *path: Path) -> str:
    """What a fresh process prints that imports `main` of a folder, with more folders on its path."""
    result = python("-c", RUN, str(folder), *map(str, path), cwd=folder.parent)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def scale(by: float) -> str:
    return f"fn scaled(x: [n]) -> [n] = x * {by}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.ss").write_text("import middle\n\nfn go(x: [n]) -> [n] = middle.twice(x)\n")
    (folder / "middle.ss").write_text(
        "import leaf\n\nfn twice(x: [n]) -> [n] = leaf.scaled(leaf.scaled(x))\n"
    )
    (folder / "leaf.ss").write_text(scale(3.0))
    return folder


def test_nothing_is_compiled_again_while_nothing_changes(project: Path) -> None:
    assert run(project) == "[9.0, 9.0] leaf.ss main.ss middle.ss"
    assert run(project) == "[9.0, 9.0]"


def test_an_edit_of_an_imported_file_compiles_those_that_reach_it(project: Path) -> None:
    run(project)
    (project / "leaf.ss").write_text(scale(2.0))
    assert run(project) == "[4.0, 4.0] leaf.ss main.ss middle.ss"
    (project / "main.ss").write_text((project / "main.ss").read_text() + "\n# A remark.\n")
    assert run(project) == "[4.0, 4.0] main.ss"


def test_a_file_that_starts_to_hide_another_is_found_instead(project: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (project / "leaf.ss").rename(shared / "leaf.ss")
    assert run(project, shared) == "[9.0, 9.0] leaf.ss main.ss middle.ss"
    assert run(project, shared) == "[9.0, 9.0]"
    (project / "leaf.ss").write_text(scale(5.0))
    assert run(project, shared) == "[25.0, 25.0] leaf.ss main.ss middle.ss"


def test_another_path_finds_other_files(project: Path, tmp_path: Path) -> None:
    (project / "leaf.ss").unlink()
    for name, by in (("a", 2.0), ("b", 10.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "leaf.ss").write_text(scale(by))
    assert run(project, tmp_path / "a") == "[4.0, 4.0] leaf.ss main.ss middle.ss"
    assert run(project, tmp_path / "b") == "[100.0, 100.0] leaf.ss main.ss middle.ss"


def test_files_in_the_code_are_found_from_any_folder(project: Path) -> None:
    """Also if one was found by way of the current folder, as it is when the code was kept."""
    (project / "deep").mkdir()
    (project / "leaf.ss").write_text(
        "model Net:\n    param w: [] = ones\n\nfn three(m: M, x: [n]) -> []:\n    return sum(x as [3])\n"
    )
    (project / "deep" / "user.ss").write_text(
        "devices cpu\n\nimport leaf\n\nfn use(m: leaf.Net, x: [n]) -> [] = leaf.three(m, x)\n"
    )
    program = (
        "import os, sys, traceback, shapescript; shapescript.install(); import torch, deep.user as u; os.chdir('/')\n"
        "try: u.use(u.leaf.Net.init(seed=0), torch.ones(2))\n"
        "except ValueError as e: print(*[f.filename for f in traceback.extract_tb(e.__traceback__)], sep='\\n')\n"
    )
    expected = [str(project / "deep" / "user.ss"), str(project / "leaf.ss")]
    # Twice from that folder, compiled and kept, and once from another one.
    for folder, path in (
        (project, ""),
        (project, ""),
        (project / "deep", ".."),
        (project.parent, str(project)),
    ):
        result = python("-c", program, cwd=folder, env={"PYTHONPATH": path})
        assert result.stdout.split()[1:3] == expected, result.stderr


def test_an_imported_file_that_breaks_is_told_at_the_import(project: Path) -> None:
    run(project)
    (project / "leaf.ss").write_text("fn scaled(x: [n]) -> [n] = y\n")
    result = python("-c", RUN, str(project), cwd=project.parent)
    assert result.returncode == 1
    assert "error[E2303]" in result.stderr
    assert "leaf.ss:1:28: error[E0301]" in result.stderr


def test_processes_that_import_new_files_at_once_all_get_them(project: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, str(project)],
            cwd=project.parent,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in started:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert output.startswith("[9.0, 9.0]")
    assert run(project) == "[9.0, 9.0]"
    kept = sorted(path.name for path in (project / "__pycache__").iterdir())
    tag = sys.implementation.cache_tag
    assert kept == [f"{name}.{tag}.ssc" for name in ("leaf", "main", "middle")]
