"""The documentation tells the truth: its programs check as they say, and its examples print what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

import shapescript
from shapescript_check import Checker
from tests.docs import pages
from tests.docs.files import PageFiles
from tests.docs.pages import Page
from tests.docs.running import PageRun
from tests.language.specifications import Program
from tests.language.test_specification import found_otherwise

PAGES = pages.pages()
PROGRAMS = [(page, program) for page in PAGES for program in page.programs()]


@pytest.mark.parametrize(("page", "program"), PROGRAMS, ids=[f"{page.name}:{p.at}" for page, p in PROGRAMS])
def test_programs_check_as_their_lines_say(page: Page, program: Program) -> None:
    checked = Checker().check(program.path, program.text, hints=True, importer=PageFiles(page, program.at))
    wrong = found_otherwise(program, checked)
    assert not wrong, "\n".join([f"{page.name}:{program.at}", *wrong])


@pytest.mark.parametrize("page", [page for page in PAGES if page.runs], ids=lambda page: page.name)
def test_what_pages_run_prints_what_they_show(page: Page, tmp_path: Path, update_snapshots: bool) -> None:
    if any(fence.language == "python" for fence in page.fences):
        pytest.importorskip("torch")
    run = PageRun(page, tmp_path)
    shapescript.install()
    try:
        run.run()
    finally:
        shapescript.uninstall()
    if update_snapshots:
        _rewrite(page, run)
    else:
        assert not run.wrong, "\n\n".join(["", *run.wrong])


def _rewrite(page: Page, run: PageRun) -> None:
    """Writes what was printed into a page."""
    file = pages.ROOT / page.path
    lines = file.read_text(encoding="utf-8").splitlines()
    for (first, last), printed in sorted(run.printed.items(), reverse=True):
        lines[first - 1 : last - 1] = printed
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_transcripts_are_compared_line_by_line() -> None:
    assert pages.matches(("a", "...", "z"), ["a", "b", "c", "z"])
    assert pages.matches(("a", "..."), ["a"])
    assert not pages.matches(("a", "..."), ["b"])
    assert not pages.matches(("a",), ["a", "b"])
