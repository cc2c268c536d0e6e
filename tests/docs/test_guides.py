"""What ARCHITECTURE.md and CONTRIBUTING.md name is there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.docs.pages import ROOT

GUIDES = ["ARCHITECTURE.md", "CONTRIBUTING.md"]


def text_of(guide: str) -> str:
    return (ROOT / guide).read_text(encoding="utf-8")


def named_paths(guide: str) -> list[str]:
    """Paths in backquotes that have a folder in them and no placeholder such as NAME or CODE."""
    found = re.findall(r"`([a-z_.0-9-]+/[A-Za-z_./0-9-]*)`", text_of(guide))
    return sorted({path for path in found if not re.search(r"[A-Z]{4}", path)})


@cache
def sources() -> tuple[str, ...]:
    """Every file and folder of the packages, with the package's folder as its short name: check/bodies/calls.py."""
    found = []
    for top in ROOT.glob("packages/*/src/*"):
        short = top.name.removeprefix("shapescript_")
        found += [f"/{short}/{path.relative_to(top).as_posix()}" for path in top.rglob("*")]
    return tuple(found)


def is_there(path: str) -> bool:
    return (ROOT / path).exists() or any(source.endswith(f"/{path.rstrip('/')}") for source in sources())


@pytest.mark.parametrize("guide", GUIDES)
def test_paths_that_are_named_exist(guide: str) -> None:
    assert [path for path in named_paths(guide) if not is_there(path)] == []


def test_sessions_that_are_named_exist() -> None:
    sessions = {
        node.name
        for node in ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    named = {name for guide in GUIDES for name in re.findall(r"nox -s (\w+)", text_of(guide))}
    assert named
    assert named <= sessions


def test_the_architecture_fits_on_four_pages() -> None:
    assert len(text_of("ARCHITECTURE.md").splitlines()) <= 4 * 45
