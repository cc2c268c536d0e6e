"""The generated pages of the reference say what the operations, the prelude and the catalogue say now."""

from __future__ import annotations

from tests.cli.commands import python
from tests.docs.pages import ROOT, is_generated


def test_generated_pages_are_up_to_date() -> None:
    result = python("docs/generate.py", "--check", cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_generated_pages_say_so_and_no_others() -> None:
    generated = {file.name for file in (ROOT / "docs").rglob("*.md") if is_generated(file)}
    assert generated == {"diagnostics.md", "operations.md", "prelude.md"}
