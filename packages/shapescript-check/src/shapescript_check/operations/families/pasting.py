"""Source text that a help puts inside a larger expression."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.typed.tree import Typed

_OPENS = "([{"
_CLOSES = ")]}"


def in_brackets(call: OperationCall, node: Typed) -> str:
    """An operand as it was written, on one line, and in brackets unless an operator can follow it as it is."""
    text = " ".join(call.context.text(node.span).split())
    return text if _stands_alone(text) else f"({text})"


def _stands_alone(text: str) -> bool:
    """Whether a text is a name or a number, with calls, indices and members after it."""
    depth = 0
    for i, character in enumerate(text):
        if character in _OPENS:
            # Brackets that follow nothing are their own; a later pair must belong to what is before it.
            if depth == 0 and i and not (text[i - 1].isalnum() or text[i - 1] in "_)]"):
                return False
            depth += 1
        elif character in _CLOSES:
            depth -= 1
        elif depth == 0 and not (character.isalnum() or character in "_."):
            return False
    return depth == 0
