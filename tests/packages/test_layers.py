"""What each package may need: its declared dependencies, and every import in its source.

import-linter holds who may import whom; this holds that a package installed by itself finds what it imports.
"""

from __future__ import annotations

import ast
import re
import sys
from itertools import chain
from pathlib import Path

import pytest

from tests.packages.projects import PROJECTS, Project, requirement_name

# Each package, the packages of ours that it needs, and the other distributions that it needs.
NEEDS: dict[str, tuple[set[str], set[str]]] = {
    "shapescript-syntax": (set(), set()),
    "shapescript-check": ({"shapescript-syntax"}, set()),
    "shapescript-runtime": (set(), {"torch", "numpy", "tqdm"}),
    "shapescript-export": ({"shapescript-check", "shapescript-runtime"}, set()),
    "shapescript-lsp": ({"shapescript-check"}, set()),
    "shapescript": (
        {"shapescript-syntax", "shapescript-check", "shapescript-runtime"},
        {"hatchling", "packaging"},
    ),
}
EXTRAS: dict[str, dict[str, set[str]]] = {
    "shapescript-runtime": {"tensorboard": {"tensorboard"}},
    "shapescript-export": {"hf": {"transformers", "safetensors"}, "gguf": {"gguf"}},
    "shapescript": {
        "export": {"shapescript-export"},
        "lsp": {"shapescript-lsp"},
        "tensorboard": {"shapescript-runtime"},
    },
}

each_project = pytest.mark.parametrize("project", PROJECTS.values(), ids=list(PROJECTS))


def reachable(name: str) -> set[str]:
    """The distributions that an installation of `name` brings, itself included."""
    ours, others = NEEDS[name]
    return {name, *others}.union(*map(reachable, ours))


def imported_names(file: Path) -> set[str]:
    """The top-level modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_the_six_packages_are_all_there() -> None:
    assert set(PROJECTS) == set(NEEDS)


@each_project
def test_declared_dependencies_follow_the_layers(project: Project) -> None:
    ours, others = NEEDS[project.name]
    assert {requirement_name(text) for text in project.requirements} == ours | others
    declared = {key: {requirement_name(text) for text in value} for key, value in project.extras.items()}
    assert declared == EXTRAS.get(project.name, {})


@each_project
def test_dependencies_are_ranges(project: Project) -> None:
    for requirement in chain(project.requirements, *project.extras.values()):
        assert ">=" in requirement, f"{requirement} has no lower bound"
        assert "==" not in requirement, f"{requirement} pins"


@each_project
def test_our_own_packages_are_asked_for_at_their_version(project: Project) -> None:
    for requirement in chain(project.requirements, *project.extras.values()):
        name = requirement_name(requirement)
        if name in PROJECTS:
            major, minor, *_ = PROJECTS[name].version.split(".")
            without_extras = re.sub(r"\[\w+\]", "", requirement)
            assert without_extras == f"{name}>={major}.{minor},<{major}.{int(minor) + 1}"


@each_project
def test_source_imports_only_what_is_declared(project: Project) -> None:
    extras = set().union(*EXTRAS.get(project.name, {}).values())
    distributions = reachable(project.name) | extras
    allowed = {name.replace("-", "_") for name in distributions} | sys.stdlib_module_names
    for file in project.source.rglob("*.py"):
        strange = imported_names(file) - allowed
        assert not strange, (
            f"{file.relative_to(project.folder)} imports {sorted(strange)}, which it does not declare"
        )
