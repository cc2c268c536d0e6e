"""Files that tests of packages write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SCALE = "devices cpu\n\n## A multiple of x.\nfn scale(x: [n]) -> [n] = x * {factor}\n"

PROJECT = """\
[build-system]
requires = ["shapescript"]
build-backend = "shapescript.build"

[project]
name = "extra"
version = "0.1.0"
dependencies = ["shapescript-runtime>=0.1"]

[tool.hatch.build.targets.wheel]
packages = ["src/extra"]
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files by their paths below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
