"""What becomes of each axis under a pattern."""

from __future__ import annotations

from collections.abc import Callable

from shapescript_check.operations.families.patterns.plan import Key, Part, Side
from shapescript_check.operations.flows import Flow, Grouped, Kept, OperandFlows, Regrouped, Selected

DROPPED = Selected(None)
"""The flow of a 1 that the output leaves out: its one position is all there is."""


def flows_of(side: Side, output: Side, gone: Callable[[Part], tuple[Flow, ...]]) -> OperandFlows:
    """The flows of an operand that a side describes. `gone` says what becomes of a part that the output has not."""
    places: dict[Key, tuple[int, int | None]] = {}
    groups: dict[tuple[Key, ...], int] = {}
    for j, entry in enumerate(output):
        for k, part in enumerate(entry.parts):
            places[part.key] = (j, k if entry.grouped else None)
        if entry.grouped:
            groups[tuple(p.key for p in entry.parts)] = j
    flows: list[tuple[Flow, ...]] = []
    for entry in side:
        if not entry.grouped:
            flows.append(_alone(entry.parts[0], places, gone))
            continue
        whole = groups.get(tuple(p.key for p in entry.parts))
        if whole is not None:
            flows.append((Kept(whole),))
            continue
        mine: list[Flow] = []
        for k, part in enumerate(entry.parts):
            mine += _member(part, k, places, gone)
        flows.append(tuple(mine))
    return tuple(flows)


def _alone(
    part: Part, places: dict[Key, tuple[int, int | None]], gone: Callable[[Part], tuple[Flow, ...]]
) -> tuple[Flow, ...]:
    if part.key not in places:
        return (DROPPED,) if part.is_one else gone(part)
    to, into = places[part.key]
    return (Kept(to) if into is None else Grouped(to, into),)


def _member(
    part: Part, k: int, places: dict[Key, tuple[int, int | None]], gone: Callable[[Part], tuple[Flow, ...]]
) -> tuple[Flow, ...]:
    if part.key not in places:
        return () if part.is_one else gone(part)
    to, into = places[part.key]
    return (Grouped(to, k, split=True) if into is None else Regrouped(k, to, into),)
