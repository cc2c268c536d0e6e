"""The six wheels as a user meets them: built by pip, installed into an empty environment, and run there."""

from __future__ import annotations

import email
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.packages.environments import Environment, run
from tests.packages.projects import PROJECTS, ROOT, Project

pytestmark = pytest.mark.slow

each_project = pytest.mark.parametrize("project", PROJECTS.values(), ids=list(PROJECTS))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, wheels: dict[str, Path]) -> Environment:
    """An environment with the six wheels and nothing else, so without torch."""
    environment = Environment.created(tmp_path_factory.mktemp("six"))
    environment.install(list(wheels.values()))
    return environment


@pytest.fixture(scope="module")
def with_torch(tmp_path_factory: pytest.TempPathFactory, wheels: dict[str, Path]) -> Environment:
    """An environment with the six wheels, and torch."""
    environment = Environment.created(tmp_path_factory.mktemp("torch"))
    environment.install(list(wheels.values()))
    environment.borrow_torch()
    return environment


@each_project
def test_wheel_holds_every_file_of_the_package(project: Project, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[project.name]) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == project.data_files()
    assert f"{project.import_name}/py.typed" in packed


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("shapescript-syntax", "catalogue/*.md"),
        ("shapescript-check", "catalogue/*.md"),
        ("shapescript-check", "prelude/*.ss"),
        ("shapescript", "std/*.ss"),
    ],
)
def test_wheel_holds_data(name: str, pattern: str, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[name]) as archive:
        packed = [Path(entry) for entry in archive.namelist()]
    assert [path for path in packed if path.match(pattern)]


@each_project
def test_wheel_describes_itself(project: Project, wheels: dict[str, Path]) -> None:
    prefix = f"{project.import_name}-{project.version}.dist-info"
    with zipfile.ZipFile(wheels[project.name]) as archive:
        metadata = email.message_from_bytes(archive.read(f"{prefix}/METADATA"))
        license_text = archive.read(f"{prefix}/licenses/LICENSE").decode()
    assert metadata["Version"] == project.version
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    readme = (project.folder / "README.md").read_text(encoding="utf-8")
    assert metadata.get_payload().strip() == readme.strip()
    assert license_text == (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_empty_environment_imports_all_six(empty: Environment, tmp_path: Path) -> None:
    names = [project.import_name for project in PROJECTS.values() if project.name != "shapescript-runtime"]
    code = f"import {', '.join(names)}; print(shapescript.__file__)"
    printed = run([empty.python, "-c", code], tmp_path)
    assert Path(printed.strip()).is_relative_to(empty.folder)


def test_command_line_helps_without_torch(empty: Environment, tmp_path: Path) -> None:
    by_name = run([empty.programs / "shapescript", "--help"], tmp_path)
    by_module = run([empty.python, "-m", "shapescript", "--help"], tmp_path)
    assert by_name == by_module
    for command in ("check", "build", "run", "new", "explain"):
        assert command in by_name


def test_command_line_checks_and_explains_without_torch(empty: Environment, tmp_path: Path) -> None:
    program = empty.programs / "shapescript"
    run([program, "check", *sorted((ROOT / "examples").glob("*.ss"))], tmp_path)
    assert "E0408" in run([program, "explain", "E0408"], tmp_path)


def test_import_hook_works_from_wheels(with_torch: Environment, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "attention.ss", tmp_path)
    code = (
        "import shapescript; shapescript.install()\n"
        "from attention import causal_attention\n"
        "import shapescript_runtime\n"
        "print(causal_attention.__name__, shapescript_runtime.__file__, sep='\\n')"
    )
    name, file = run([with_torch.python, "-c", code], tmp_path).splitlines()
    assert name == "causal_attention"
    assert Path(file).is_relative_to(with_torch.folder)


def test_built_python_needs_the_runtime_alone(with_torch: Environment, tmp_path: Path) -> None:
    attention = ROOT / "examples" / "attention.ss"
    run([with_torch.programs / "shapescript", "build", attention, "-o", "built.py"], tmp_path)
    compiler = [project.import_name for project in PROJECTS.values() if project.name != "shapescript-runtime"]
    # A None in sys.modules is a module that cannot be imported.
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({compiler}))\n"
        "import built; print(built.causal_attention.__name__)"
    )
    assert run([with_torch.python, "-c", code], tmp_path).strip() == "causal_attention"
