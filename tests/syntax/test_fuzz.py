"""Whatever is done to a program, reading it ends, and gives spans that nest and tokens that cover the text."""

from __future__ import annotations

from random import Random

import pytest

from shapescript_syntax.chunks import cut
from shapescript_syntax.parsing.files import ParsedChunk, parse_file
from shapescript_syntax.spans import Source
from tests.syntax.mutations import broken, written_differently
from tests.syntax.walking import PROGRAMS, check_everything, check_tokens, parse

PIECES = [chunk.text for text in PROGRAMS.values() for chunk in cut(text)]


@pytest.mark.parametrize("seed", range(20))
def test_broken_declarations(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        text = broken(random, random.choice(PIECES))
        check_everything(text)
        for chunk in cut(text):
            check_tokens(chunk.text)


@pytest.mark.parametrize("seed", range(5))
def test_arbitrary_characters(seed: int) -> None:
    random = Random(seed)
    alphabet = "abfn dim()[]|>-=.,:#\"'\\\n\t 0123456789_?!@*/+<é→\r\f\0" + "    " * 4
    for _ in range(200):
        check_everything("".join(random.choices(alphabet, k=random.randrange(200))))


@pytest.mark.parametrize("seed", range(5))
def test_a_file_parsed_after_an_edit_is_the_file_parsed_afresh(seed: int) -> None:
    random = Random(seed)
    text = random.choice(sorted(PROGRAMS.values()))
    cache: dict[str, ParsedChunk] = {}
    for _ in range(30):
        text = broken(random, text) if random.random() < 0.7 else random.choice(sorted(PROGRAMS.values()))
        warm = parse_file(Source("a.ss", text), cache)
        cold = parse(text)
        assert [str(d) for d in warm.diagnostics()] == [str(d) for d in cold.diagnostics()]
        assert [(start, chunk.text) for start, chunk in warm.placed] == [(s, c.text) for s, c in cold.placed]


@pytest.mark.parametrize("seed", range(5))
def test_comments_and_spaces_are_no_mistakes(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        text = written_differently(random, random.choice(PIECES))
        assert not [
            d for d in check_everything(text).diagnostics() if d.code not in ("E0104", "E0202", "W0201")
        ]
