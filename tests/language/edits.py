"""Edits of a program, as an editor makes them one after another."""

from __future__ import annotations

from collections.abc import Iterator


def edits(text: str) -> Iterator[tuple[str, str]]:
    """The texts that a program goes through, each with what was done; every second one is the program itself.

    Every line is deleted and put back, and typed as far as its middle and then whole. Declarations are moved down by
    a blank line.
    """
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        before, after = lines[:number], lines[number + 1 :]
        place = f"line {number + 1}"
        yield f"without {place}", "".join([*before, *after])
        yield f"with {place} again", text
        yield f"{place} half typed", "".join([*before, line[: len(line) // 2] + "\n", *after])
        yield f"{place} typed", text
        if line[0] not in " #":
            yield f"a blank line before {place}", "".join([*before, "\n", line, *after])
            yield f"no blank line before {place}", text
