"""How high trees are. Walks without recursion, since it is what guards the passes that do recurse."""

from __future__ import annotations


def height(root: object) -> int:
    """The number of nodes on the longest way down from a node, itself included."""
    highest = 0
    level: list[object] = [root]
    while level:
        highest += 1
        below: list[object] = []
        for node in level:
            for field in getattr(node.__class__, "__record_fields__", ()):
                value = getattr(node, field)
                if value.__class__ is tuple:
                    below.extend(value)
                elif hasattr(value.__class__, "__record_fields__"):
                    below.append(value)
        level = below
    return highest
