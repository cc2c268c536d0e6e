"""Texts made from right programs: broken at random, or only written differently."""

from __future__ import annotations

from random import Random

from shapescript_syntax.layout import tokenize
from shapescript_syntax.tokens import LAYOUT

_WORDS = """\
( ) [ ] |> => -> .. ... == < = + - * / @ ! , : . x 16gh ?k 1 1.5 as to and or for in if else return fn dim model data
logs import export extern domain devices _ mut param over $ ' é inf true None { \\ # ## einsum( map( rearrange( "s" "
"""
_PIECES = (*_WORDS.split(), "\n", "\n    ", "    ", "\t", "\ufeff", "\0", "\r", "\n\n")


def broken(random: Random, text: str) -> str:
    """The text after a few edits of the kind that fingers make, and some that they don't."""
    tokens = tokenize(text)
    places = [(s, e) for s, e in zip(tokens.starts, tokens.ends, strict=True) if s < e]
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        start, end = random.choice(places or [(0, 0)])
        start, end = min(start, len(text)), min(end, len(text))
        match random.randrange(6):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:end] + " " + text[start:]
            case 2:
                other, stop = random.choice(places or [(0, 0)])
                if end <= other < stop <= len(text):
                    text = text[:start] + text[other:stop] + text[end:other] + text[start:end] + text[stop:]
            case 3:
                text = text[:start] + random.choice(_PIECES) + " " + text[start:]
            case 4:
                at = random.randrange(len(text) + 1)
                text = text[:at] + text[at + random.randrange(4) :]
            case _:
                at = random.randrange(len(text) + 1)
                text = text[:at] + random.choice(_PIECES) + text[at:]
    return text


def written_differently(random: Random, text: str) -> str:
    """The same tokens with other spaces, line breaks and comments between them."""
    tokens = tokenize(text)
    out: list[str] = []
    depth = at = 0
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if kind in LAYOUT or start == end:
            continue
        gap, word = text[at:start], text[start:end]
        out += [_gap(random, gap, word, depth) if out else gap, word]
        depth += (word in ("(", "[")) - (word in (")", "]"))
        at = end
    return "".join(out) + text[at:]


def _gap(random: Random, gap: str, word: str, depth: int) -> str:
    comment = f"# c{random.randrange(99)}"
    if "#" in gap and "\n" in gap and not depth:
        return gap
    if depth and "#" not in gap and random.random() < 0.12:
        return random.choice(
            [" ", "\n", "\n      ", f"  {comment}\n   ", f"\n{comment}\n", "\n\n  ", "\t", "  "]
        )
    if word == "|>" and "#" not in gap and random.random() < 0.4:
        return random.choice(["\n    ", "\n", f"  {comment}\n  ", f"\n  {comment}\n\n     ", " "])
    if "\n" in gap and not depth and random.random() < 0.3:
        first = gap.index("\n")
        lines = [
            "\n",
            f" {comment}\n",
            "\n\n\n",
            f"\n    {comment}\n",
            f"\n{comment}\n",
            f"\n\n        {comment}\n\n",
            f"\n#{comment}\n",
        ]
        return gap[:first] + random.choice(lines) + gap[first + 1 :]
    if gap == " " and random.random() < 0.2:
        return random.choice(["   ", "\t", "\f "])
    return gap
