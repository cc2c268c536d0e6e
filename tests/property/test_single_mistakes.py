"""One misspelt word is one diagnostic: the uses of what it hides aren't reported as well."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shapescript_check import Checker

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.ss"))
_WORDS = re.compile(r"#[^\n]*|\"[^\"\n]*\"|(?P<word>[A-Za-z_]\w+)")
_DECLARING = re.compile(r"\b(fn|dim|domain|model|data|logs|param|buffer|for|over=|over|devices|mut)\s*$")


def uses(text: str) -> list[re.Match[str]]:
    """The words that may be misspelt without another thing being meant: no declarations, and no names of axes, which
    are declared where they stand."""
    found = []
    for match in _WORDS.finditer(text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        before, after = text[line_start : match.start()], text[match.end() : match.end() + 2]
        in_brackets = before.count("[") > before.count("]")
        in_pattern = "->" in text[line_start : text.find("\n", match.end())]
        if match["word"] in (None, "as", "to") or in_brackets or in_pattern or _DECLARING.search(before):
            continue
        if after.startswith((":", ",")) or re.match(r"\s*=(?!=)", text[match.end() :]):
            continue
        found.append(match)
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_misspelt_word_is_one_diagnostic(path: Path) -> None:
    text = path.read_text()
    checker = Checker()
    several = []
    for match in uses(text):
        word = match["word"]
        misspelt = f"{text[: match.start()]}{word[:-1]}xq{word[-1]}{text[match.end() :]}"
        errors = [d for d in checker.check(path.name, misspelt).diagnostics if d.code[0] == "E"]
        if len(errors) > 1:
            line = text.count("\n", 0, match.start()) + 1
            several.append(f"{path.name}:{line}: {word}: {[f'{e.code} {e.message}' for e in errors]}")
    assert not several, "\n".join(several)
