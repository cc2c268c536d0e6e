"""The six projects under packages/, as their files describe them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Project:
    """One project: its folder, and the table `[project]` of its pyproject.toml."""

    folder: Path
    table: dict[str, Any]

    @property
    def name(self) -> str:
        """The distribution's name, as pip knows it."""
        return str(self.table["name"])

    @property
    def import_name(self) -> str:
        """The name that Python imports."""
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        """The folder of the import package."""
        return self.folder / "src" / self.import_name

    @property
    def version(self) -> str:
        """The version its `__init__.py` states, where hatch reads it."""
        text = (self.source / "__init__.py").read_text(encoding="utf-8")
        found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
        assert found, f"{self.import_name} states no version"
        return found[1]

    @property
    def requirements(self) -> list[str]:
        """What it needs wherever it is installed."""
        return list(self.table["dependencies"])

    @property
    def extras(self) -> dict[str, list[str]]:
        """What it needs for each of its extras."""
        return dict(self.table.get("optional-dependencies", {}))

    def data_files(self) -> set[str]:
        """Everything in the import package but compiled files, relative to src/."""
        return {
            path.relative_to(self.source.parent).as_posix()
            for path in self.source.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }


def requirement_name(requirement: str) -> str:
    """The distribution that a requirement such as `torch>=2.6` asks for."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def _read(file: Path) -> Project:
    return Project(file.parent, tomllib.loads(file.read_text(encoding="utf-8"))["project"])


PROJECTS = {project.name: project for project in map(_read, sorted(ROOT.glob("packages/*/pyproject.toml")))}
