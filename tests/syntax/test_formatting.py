"""The canonical layout: what it looks like, and that it keeps the program and every comment."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from shapescript_syntax.chunks import cut
from shapescript_syntax.dump import dump
from shapescript_syntax.formatting import CannotFormat, format_source, horizontal, rearranged
from shapescript_syntax.layout import tokenize
from tests.syntax.mutations import written_differently
from tests.syntax.snapshots import UPDATING, cases, update
from tests.syntax.walking import PROGRAMS, items, parse

LAYOUTS = Path(__file__).parent / "layouts.md"
PIECES = [chunk.text for text in PROGRAMS.values() for chunk in cut(text)]

if UPDATING:
    update(LAYOUTS, "formatted", format_source)

CASES = [
    pytest.param(before, after, id=f"{i} {title}") for i, (title, before, after) in enumerate(cases(LAYOUTS))
]


def comments(text: str) -> list[str]:
    tokens = tokenize(text)
    return sorted(text[c.span.start : c.span.end].rstrip() for c in tokens.comments)


def trees(text: str) -> list[str]:
    return [dump(item) for item in items(text)]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_a_program_is_laid_out_like_this(before: str, after: str) -> None:
    assert format_source(before) == after
    assert format_source(after) == after
    assert trees(after) == trees(before)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_whole_programs_keep_their_meaning_and_comments(name: str) -> None:
    text = PROGRAMS[name]
    formatted = format_source(text)
    assert trees(formatted) == trees(text)
    assert comments(formatted) == comments(text)
    assert format_source(formatted) == formatted
    assert format_source(text.replace("\n", "\r\n")) == formatted
    assert format_source("\ufeff" + text) == formatted


@pytest.mark.parametrize("width", [100, 60, 30, 8])
@pytest.mark.parametrize("seed", range(3))
def test_formatting_twice_is_formatting_once(seed: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horizontal, "WIDTH", width)
    random = Random(seed)
    tried = 0
    for _ in range(60):
        text = written_differently(random, "".join(random.choices(PIECES, k=random.choice((1, 2, 3)))))
        parsed = parse(text)
        if any(d.is_error for d in parsed.diagnostics()):
            continue
        tried += 1
        formatted = rearranged(parsed)
        assert trees(formatted) == trees(text)
        assert comments(formatted) == comments(text)
        assert rearranged(parse(formatted)) == formatted
        assert not [line for line in formatted.splitlines() if line != line.rstrip()]
        assert "\n\n\n" not in formatted
    assert tried > 50


def test_text_that_could_be_one_line_is_one_line_however_it_was_broken() -> None:
    random = Random(0)
    for text in PIECES:
        if "|>" in text or "#" in text:
            continue
        other = written_differently(random, text)
        if (
            comments(other) == []
            and not parse(other).diagnostics()
            and other.count("\n\n") == text.count("\n\n")
        ):
            assert format_source(other) == format_source(text)


def test_a_program_with_mistakes_is_left_alone() -> None:
    with pytest.raises(CannotFormat) as caught:
        format_source("dim D = \nfn f(x: [n) = x\n")
    assert [d.code for d in caught.value.diagnostics] == ["E0201", "E0106"]


def test_nothing_becomes_nothing() -> None:
    assert format_source("") == ""
    assert format_source("\n \n\n") == ""
    assert format_source("\n\n# only a comment") == "# only a comment\n"


def test_cells_are_formatted_with_their_statements() -> None:
    assert format_source("x=f( 3 )\nfor i in 0..3:\n  print( i )", cell=True) == (
        "x = f(3)\n\nfor i in 0..3:\n    print(i)\n"
    )
