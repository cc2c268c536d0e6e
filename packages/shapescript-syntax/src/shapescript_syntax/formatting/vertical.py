"""The blank lines between lines of code and comments."""

from __future__ import annotations

from shapescript_syntax.formatting.units import Unit


def joined(units: list[Unit], source: str) -> str:
    """The text of a whole file. `source` is where the units come from, and says where blank lines were."""
    lines: list[str] = []
    for i, unit in enumerate(units):
        if i and _wants_blank(units, i, source):
            lines.append("")
        lines += unit.lines
    return "\n".join(lines) + "\n" if lines else ""


def _wants_blank(units: list[Unit], i: int, source: str) -> bool:
    """Whether a blank line stands before a unit that isn't the first."""
    above, unit = units[i - 1], units[i]
    had = source.count("\n", above.end, unit.start) > 1
    if unit.depth > above.depth and not above.comment:
        return False
    if unit.depth or (above.comment and not above.depth):
        return had
    # Between two declarations, or a declaration and the comments above the next.
    if _declaration(units, i - 1, -1) and _declaration(units, i, 1):
        return had
    return True


def _declaration(units: list[Unit], i: int, step: int) -> bool:
    """Whether the nearest line of code at the left edge, going up or down from a unit, is a stackable declaration."""
    while 0 <= i < len(units) and (units[i].comment or units[i].depth):
        i += step
    return 0 <= i < len(units) and units[i].stackable
