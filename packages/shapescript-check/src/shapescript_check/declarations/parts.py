"""Where the parts of a declaration are, for labels that name them."""

from __future__ import annotations

from shapescript_syntax import tree
from shapescript_syntax.spans import Span


def part_span(item: tree.Item, part: str) -> Span | None:
    """The span of `name`, `returns`, or a parameter or field, as in `:x`; None where there is none."""
    if part == "returns":
        return item.returns.span if isinstance(item, tree.Fn | tree.ExternFn) and item.returns else None
    if part.startswith(":"):
        for named in _members(item):
            if named.name.text == part[1:]:
                return named.span
        return None
    if isinstance(item, tree.ImportPython | tree.Import):
        return item.parts[0].span
    return None if isinstance(item, tree.ErrorItem | tree.Devices) else item.name.span


def _members(item: tree.Item) -> tuple[tree.Parameter | tree.Field | tree.DataField | tree.Metric, ...]:
    match item:
        case tree.Fn() | tree.ExternFn():
            return item.parameters
        case tree.Model() | tree.Data():
            return item.fields
        case tree.Logs():
            return item.metrics
        case _:
            return ()
