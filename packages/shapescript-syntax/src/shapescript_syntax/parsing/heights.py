"""How high trees are. Walks without recursion, since it is what guards the passes that do recurse."""

from __future__ import annotations

from shapescript_syntax.parsing.cursor import MAX_HEIGHT, Cursor
from shapescript_syntax.records import fields_of
from shapescript_syntax.spans import Span


def too_high(c: Cursor, node: object, first: int) -> bool:
    """Whether what was parsed from token `first` on is too high a tree, which is reported.

    A tree is no higher than it has tokens, so next to nothing is ever measured.
    """
    if c.i - first <= MAX_HEIGHT or not is_higher(node, MAX_HEIGHT):
        return False
    start = c.starts[first]
    c.report(
        "E0201",
        f"this is nested too deeply: it may be {MAX_HEIGHT} operators or stages deep",
        Span(start, c.ends[first]),
        "starts here",
        help="give a part of it a name of its own first",
    )
    return True


def is_higher(root: object, limit: int) -> bool:
    """Whether the longest way down from a node, or several, has more than `limit` nodes."""
    level: list[object] = list(root) if isinstance(root, tuple) else [root]
    for _ in range(limit):
        if not level:
            return False
        below: list[object] = []
        for node in level:
            for field in fields_of(node) or ():
                value = getattr(node, field)
                if value.__class__ is tuple:
                    below.extend(value)
                elif fields_of(value) is not None:
                    below.append(value)
        level = below
    return bool(level)
