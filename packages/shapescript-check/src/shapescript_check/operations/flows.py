"""Axis flows: what becomes of each axis of each operand of an operation.

From these alone follow which axes can be padded and how an operation is masked, how a batch or heads axis stays
split across devices, whether requests may be packed along an axis, whether a function is elementwise, and what a
hover draws as depending on what. An analysis that needs to know more asks for a new kind here.
"""

from __future__ import annotations

from shapescript_syntax.records import value


@value
class Kept:
    """Each position of the result along axis `to` depends on the same position of this axis only."""

    to: int


@value
class Stretched:
    """An axis of size 1 that is repeated along axis `to` of the result."""

    to: int


@value
class Reduced:
    """The axis is gone: its positions are combined by `by` (`sum`, `mean`, `max`, ...)."""

    by: str


@value
class Contracted:
    """The axis is gone: it was multiplied with axis `axis` of operand `operand` and summed."""

    operand: int
    axis: int


@value
class Mixed:
    """Positions of the result along axis `to` depend on several positions of this axis; `kind` says how
    (`softmax`, `sort`, `cumsum`, ...)."""

    to: int
    kind: str


@value
class Selected:
    """Positions are chosen from the axis: by an index, a slice or a gather. `to` is the result's axis that they
    stand along, or None where the axis is gone."""

    to: int | None


@value
class Grouped:
    """The axis is part `part` of axis `to` of the result, a group; or, where `split` is true, axis `to` of the
    result is part `part` of this axis."""

    to: int
    part: int
    split: bool = False


@value
class Regrouped:
    """Part `part` of the axis, a group, is part `into` of axis `to` of the result, another group."""

    part: int
    to: int
    into: int


Flow = Kept | Stretched | Reduced | Contracted | Mixed | Selected | Grouped | Regrouped

OperandFlows = tuple[tuple[Flow, ...], ...]
"""For one operand, what becomes of each axis: usually one flow, several where a group is split."""


def kept(positions: tuple[int, ...]) -> OperandFlows:
    """Flows of an operand whose axes are all kept, at the given positions of the result."""
    return tuple((Kept(p),) for p in positions)
