"""Markdown files of programs, each followed by what is expected of it.

A fence named `shapescript` is a program, and the fence after it, with another name, is the expected text. Set
SHAPESCRIPT_UPDATE_SNAPSHOTS to have the expected texts written instead of compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

_CASE = re.compile(
    r"```shapescript\n(.*?)^```\n(?:\n```(?!shapescript)(\w+)\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
UPDATING = bool(os.environ.get("SHAPESCRIPT_UPDATE_SNAPSHOTS"))


def cases(path: Path) -> list[tuple[str, str, str]]:
    """The title, the program and the expected text of each case of a file."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _CASE.finditer(text):
        title = text.rfind("\n## ", 0, match.start())
        heading = text[title + 4 : text.index("\n", title + 1)] if title >= 0 else path.stem
        found.append((heading, match[1], match[3] or ""))
    return found


def update(path: Path, name: str, expected: Callable[[str], str]) -> None:
    """Writes what `expected` gives for each program into a fence called `name` after it."""
    text = path.read_text(encoding="utf-8")
    text = _CASE.sub(lambda m: f"```shapescript\n{m[1]}```\n\n```{name}\n{expected(m[1])}```\n", text)
    path.write_text(text, encoding="utf-8")
