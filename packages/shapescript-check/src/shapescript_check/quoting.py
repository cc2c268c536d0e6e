"""Source text that a help quotes, made fit for where it is quoted."""

from __future__ import annotations


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
