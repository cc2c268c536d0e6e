"""What the results of a check were worked out from, and what of it is different in the next one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from shapescript_check.declarations.interfaces import Interface
from shapescript_syntax.parsing.files import ParsedChunk
from shapescript_syntax.records import node

Key = tuple[str, str]
"""What is read, and of which name: see `Check.read`."""

_OF_NAMES = ("text", "interface", "in_types", "simple", "returns", "body")


@node
class Inputs:
    """Everything that a kept result may have read, but for what bodies gave."""

    whole: Mapping[str, object]
    """What belongs to no name."""
    names: frozenset[str]
    """Everything that is declared."""
    functions: Mapping[str, ParsedChunk]
    simple: Mapping[str, Interface]
    interfaces: Mapping[str, Interface | None]
    """The interfaces of what is declared, and of the stubs that were read."""
    foreign: Mapping[Hashable, object] = {}
    """What was read of other files and of instances, by what was asked."""


def changed_declarations(before: Inputs, now: Inputs) -> set[Hashable]:
    """The inputs that differ, leaving out functions' interfaces, which needn't be known yet."""
    changed: set[Hashable] = {(what, "") for what, it in now.whole.items() if before.whole[what] != it}
    for name in before.names ^ now.names:
        changed.update((kind, name) for kind in _OF_NAMES)
    for name, chunk in now.functions.items():
        if before.functions.get(name) is not chunk:
            changed.add(("text", name))
            if name not in before.functions:
                changed |= {("interface", name), ("in_types", name), ("simple", name)}
    for name in before.simple.keys() - now.simple.keys():
        changed |= {("interface", name), ("in_types", name), ("simple", name)}
    for name, interface in now.simple.items():
        was = before.simple.get(name)
        if was is not interface and was != interface:
            changed |= {("interface", name), ("in_types", name), ("simple", name)}
    return changed


def changed_interfaces(before: Inputs, now: Inputs) -> set[Hashable]:
    """The functions' interfaces that differ."""
    changed: set[Hashable] = set()
    for name in now.functions:
        was, is_now = before.interfaces.get(name), now.interfaces[name]
        if was is not is_now and was != is_now:
            changed |= {("interface", name), ("in_types", name)}
    return changed
