"""Every file of the catalogue does what it says, and there is one for every code, and none too many."""

from __future__ import annotations

import functools
import re
import shlex
from pathlib import Path

import pytest

from shapescript_check import Checker
from shapescript_syntax import catalogue
from shapescript_syntax.diagnostics import Diagnostic
from tests.cli.commands import shapescript

PACKAGES = Path(__file__).parents[2] / "packages"
CODE = re.compile(r"""(?<=["'])[EWH]\d{4}(?=["'])""")
SOURCES = [
    path
    for package in ("shapescript-syntax", "shapescript-check", "shapescript")
    for path in sorted((PACKAGES / package / "src").rglob("*.py"))
]
CODES = catalogue.codes()


@functools.cache
def entry(code: str) -> catalogue.Entry:
    found = catalogue.load(code)
    assert found is not None
    return found


@functools.cache
def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    return Checker().check("example.ss", text, hints=True).diagnostics


def printed_codes(transcript: str, folder: Path) -> list[str]:
    """Carries out a console transcript in a folder, and gives the codes of what was printed, in order.

    `$ cat FILE` says what the file holds; every other command is ours, and must print the lines that follow.
    """
    codes = []
    for block in re.split(r"^\$ ", transcript, flags=re.MULTILINE)[1:]:
        command, _, lines = block.partition("\n")
        words = shlex.split(command)
        if words[0] == "cat":
            (folder / words[1]).write_text(lines, encoding="utf-8")
            continue
        assert words[0] == "shapescript", command
        result = shapescript(*words[1:], cwd=folder)
        output = result.stdout + result.stderr
        for line in lines.splitlines():
            assert line in output.splitlines(), f"`{command}` printed\n{output}"
        codes += re.findall(r"^\w+\[([EWH]\d{4})\]", output, flags=re.MULTILINE)
        assert result.returncode == int(any(code.startswith("E") for code in codes)), output
    return codes


def codes_of(fence: catalogue.Fence, folder: Path) -> list[str]:
    """The codes that a fenced block gives, whether it is a program or a transcript."""
    if fence.language == "console":
        return printed_codes(fence.text, folder)
    assert fence.language == "shapescript", f"a fence is `shapescript` or `console`, not `{fence.language}`"
    return [d.code for d in diagnostics(fence.text)]


@pytest.mark.parametrize("code", CODES)
def test_the_example_gives_its_code_and_no_other_error(code: str, tmp_path: Path) -> None:
    codes = codes_of(entry(code).example, tmp_path)
    assert code in codes
    assert {c for c in codes if c.startswith("E")} <= {code}


@pytest.mark.parametrize("code", CODES)
def test_the_repair_gives_nothing_at_all(code: str, tmp_path: Path) -> None:
    assert codes_of(entry(code).repair, tmp_path) == []


def test_every_code_that_is_raised_has_a_file_and_every_file_a_code_that_is_raised() -> None:
    raised = {code for path in SOURCES for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert sorted(raised - set(CODES)) == [], "raised without a file"
    assert sorted(set(CODES) - raised) == [], "filed without being raised"


def test_codes_are_filed_once_and_titles_are_unique() -> None:
    files = [path.stem for folder in catalogue.folders() for path in Path(folder).glob("*.md")]
    assert sorted(files) == sorted(set(files))
    titles = [entry(code).title for code in CODES]
    assert sorted(titles) == sorted(set(titles))


def test_folders_hold_nothing_else_and_areas_have_names() -> None:
    for folder in catalogue.folders():
        for path in Path(folder).iterdir():
            assert re.fullmatch(r"[EWH]\d{4}\.md", path.name), path
    assert {code[1:3] for code in CODES} <= set(catalogue.AREAS)


@pytest.mark.parametrize("code", CODES)
def test_files_read_well_in_a_terminal(code: str) -> None:
    markdown = entry(code).markdown
    assert markdown.endswith("```\n")
    assert not [line for line in markdown.splitlines() if len(line) > 120 or line != line.rstrip()]
    assert not entry(code).title.endswith(".")


GOOD = """\
# E0101: A title

Why.

## Example

```shapescript
x
```

## How to mend it

So.

```shapescript
y
```
"""


def test_a_file_is_taken_apart_into_what_its_readers_need() -> None:
    parsed = catalogue.parse("E0101", GOOD)
    assert (parsed.title, parsed.explanation, parsed.mending) == ("A title", "Why.", "So.")
    assert parsed.example == catalogue.Fence("shapescript", "x\n")
    assert parsed.repair == catalogue.Fence("shapescript", "y\n")
    assert (parsed.severity, parsed.area) == ("error", "Lexing and layout")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# E0101:", "# E0102:"),
        ("Why.\n", ""),
        ("## Example", "## Examples"),
        ("## How to mend it", "## Repair"),
        ("So.\n", ""),
        ("```shapescript\nx\n```", "x"),
        ("```shapescript\ny\n```", "```shapescript\ny"),
        ("So.\n", "So.\n\n```shapescript\nz\n```\n"),
    ],
)
def test_a_file_that_is_laid_out_otherwise_is_refused(before: str, after: str) -> None:
    with pytest.raises(catalogue.CatalogueError, match="E0101"):
        catalogue.parse("E0101", GOOD.replace(before, after))


def test_a_code_without_a_file_has_no_entry() -> None:
    assert catalogue.load("E9999") is None
    assert catalogue.load("../catalogue") is None
