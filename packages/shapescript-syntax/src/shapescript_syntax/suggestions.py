"""The name that a misspelt one was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest in spelling, if one is near: at most a third of the letters differ.

    No single letter is near another, since `n` and `m` are two names and no slip.
    Distance is Damerau-Levenshtein's (optimal string alignment): inserted, deleted, changed and swapped letters.
    """
    best: tuple[int, str] | None = None
    limit = max(1, (len(name) + 1) // 3) if len(name) > 1 else 0
    for candidate in sorted(set(candidates)):
        if candidate == name or abs(len(candidate) - len(name)) > limit:
            continue
        distance = 0 if candidate.lower() == name.lower() else _distance(name, candidate)
        if distance <= limit and (best is None or distance < best[0]) and distance < max(len(name), 2):
            best = (distance, candidate)
    return best[1] if best else None


def _distance(a: str, b: str) -> int:
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        before, row = row, current
    return row[-1]
