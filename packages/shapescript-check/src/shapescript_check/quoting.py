"""Source text that a help quotes, made fit for where it is quoted."""

from __future__ import annotations

import re

_STRINGS_AND_COMMENTS = re.compile(r'"(?:\\.|[^"\\])*"|(#[^\n]*)')


def on_one_line(text: str) -> str:
    """An expression's text without its line breaks, and without the comments that ended its lines."""
    if "\n" not in text:
        return text
    bare = _STRINGS_AND_COMMENTS.sub(lambda found: "" if found[1] else found[0], text)
    return " ".join(bare.split())


def operand(text: str) -> str:
    """An expression's text as `as`, `to` and a call's `.` or `[..]` can follow it, in parentheses where needed."""
    depth = 0
    for character in text:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and not (character.isalnum() or character in "_."):
            return f"({text})"
    return text
