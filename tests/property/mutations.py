"""Small mistakes in a program: one size, name or axis is another."""

from __future__ import annotations

import random
import re

_SHAPE = re.compile(r"\[[^\[\]\n]*\]")
_WORD = re.compile(r"[A-Za-z_]\w*|\d+")
_OVER = re.compile(r"\bover[ =](\w+)")
_DIM = re.compile(r"^dim \w+ = (.+)$", re.MULTILINE)
_PATTERN = re.compile(r"[^\n(]*?->[^\n,:]*")
_KEYWORD = re.compile(r"\b[a-z]\d*=(\d+)")
_ENTRY = re.compile(r"\b(?:causal|zeros|ones|full|iota|eye)\b[(\[]+([^()\[\]\n]*)")


def mutated(text: str, rng: random.Random) -> str | None:
    """The text with one word of a shape, a pattern, a dim's value or an axis argument changed; None where there is
    none to change."""
    words = sorted({m.span() for region in _regions(text) for m in _WORD.finditer(text, *region)})
    if not words:
        return None
    start, end = rng.choice(words)
    old = text[start:end]
    new = _number(old, rng) if old.isdigit() and rng.random() < 0.6 else _other(text, old, rng)
    if rng.random() < 0.12:
        new = ""
    elif rng.random() < 0.1:
        new = f"{old} {new}"
    return text[:start] + new + text[end:]


def _regions(text: str) -> list[tuple[int, int]]:
    """The parts of a text that say sizes, names of axes and axes."""
    found = [m.span() for m in _SHAPE.finditer(text)]
    for expression in (_OVER, _DIM, _KEYWORD, _ENTRY):
        found += [m.span(1) for m in expression.finditer(text)]
    found += [m.span() for m in _PATTERN.finditer(text) if not _line_of(text, m.start()).startswith("fn")]
    # What an extern fn says is trusted, and so is what Python makes.
    return [
        (start, end)
        for start, end in found
        if start < end
        and not _line_of(text, start).startswith("extern")
        and "torch." not in _line_of(text, start)
    ]


def _line_of(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0]


def _number(old: str, rng: random.Random) -> str:
    return str(max(0, int(old) + rng.choice((-1, 1, 1, 2))))


def _other(text: str, old: str, rng: random.Random) -> str:
    """Another name of an axis that the program has."""
    names = {w for m in _SHAPE.finditer(text) for w in _WORD.findall(m[0])} - {old}
    return rng.choice([*sorted(names), "zz"])
