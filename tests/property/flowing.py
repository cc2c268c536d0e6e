"""Holds the axis flows of an application against what changes in its result when an operand changes at one position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from shapescript_check.operations.flows import (
    Contracted,
    Flow,
    Grouped,
    Kept,
    Mixed,
    Reduced,
    Regrouped,
    Selected,
    Stretched,
)
from shapescript_check.typed import tree as typed
from shapescript_check.types.values import ResultsType, TensorType
from tests.property.isolating import Isolated


def wrong_shapes(node: typed.Apply) -> Iterator[str]:
    """What is wrong with an application's flows without running it: their count, and where they lead."""
    flows = node.operation.flows(node)
    if len(flows) != len(node.operands):
        yield f"there are flows for {len(flows)} operands of {len(node.operands)}"
        return
    ranks = [o.type.rank if isinstance(o.type, TensorType) else 0 for o in node.operands]
    axes = _result_axes(node)
    for i, (mine, rank) in enumerate(zip(flows, ranks, strict=True)):
        if len(mine) != rank:
            yield f"operand {i + 1} has {rank} axes, and flows for {len(mine)}"
            continue
        for j, each in enumerate(mine):
            for flow in each:
                yield from _wrong_target(node, i, j, flow, axes)


def _result_axes(node: typed.Apply) -> Sequence[Any]:
    kind = node.type.items[0] if isinstance(node.type, ResultsType) else node.type
    return (kind.axes or ()) if isinstance(kind, TensorType) else ()


def _wrong_target(
    node: typed.Apply, operand: int, axis: int, flow: Flow, axes: Sequence[Any]
) -> Iterator[str]:
    kind = node.operands[operand].type
    assert isinstance(kind, TensorType)
    assert kind.axes is not None
    where = f"axis {axis + 1} of operand {operand + 1}, which is {flow},"
    to = getattr(flow, "to", None)
    if to is not None and not 0 <= to < len(axes):
        yield f"{where} leads to an axis that the result doesn't have"
    elif isinstance(flow, Kept) and not kind.axes[axis].size.same(axes[flow.to].size):
        yield f"{where} is {kind.axes[axis].size}, and {axes[flow.to].size} in the result"
    elif isinstance(flow, Contracted):
        other = node.operands[flow.operand].type
        if not isinstance(other, TensorType) or not 0 <= flow.axis < other.rank:
            yield f"{where} is contracted with an axis that isn't there"
    elif not isinstance(
        flow, Kept | Stretched | Reduced | Contracted | Mixed | Selected | Grouped | Regrouped
    ):
        yield f"{where} is of an unknown kind"


def wrong_changes(isolated: Isolated) -> Iterator[str]:
    """Where an operand that is changed at one position of an axis changes the result in places that it shouldn't."""
    base, repeated = (_tensors(isolated.result(isolated.operands)) for _ in range(2))
    if not all(map(_same, base, repeated)):
        return  # drawn at random
    flows = isolated.node.operation.flows(isolated.node)
    for i, operand in isolated.operands.items():
        other = isolated.draw(i)
        if other is None:
            continue
        for axis in range(operand.dim()):
            if operand.shape[axis] == 0:
                continue
            at = isolated.rng.randrange(operand.shape[axis])
            changed = operand.clone()
            changed.select(axis, at).copy_(other.select(axis, at))
            after = _tensors(isolated.result({**isolated.operands, i: changed}))
            for before, now in zip(base, after, strict=True):
                if before.shape != now.shape:
                    continue  # a mask that chooses another number of positions
                for flow in flows[i][axis]:
                    yield from _elsewhere(isolated, i, axis, at, flow, before, now)


def _tensors(result: Any) -> list[torch.Tensor]:
    found = list(result) if isinstance(result, tuple | list) else [result]
    return [t for t in found if isinstance(t, torch.Tensor)]


def _elsewhere(
    isolated: Isolated, operand: int, axis: int, at: int, flow: Flow, before: torch.Tensor, now: torch.Tensor
) -> Iterator[str]:
    allowed = _reached(isolated, operand, axis, at, flow, before)
    if allowed is None:
        return
    to, positions = allowed
    left = [p for p in range(before.shape[to]) if p not in positions]
    if not left:
        return
    index = torch.tensor(left)
    if not _same(before.index_select(to, index), now.index_select(to, index)):
        yield (
            f"position {at} of axis {axis + 1} of operand {operand + 1}, which is {flow}, changes the result beyond "
            f"{sorted(positions)} of its axis {to + 1}"
        )


def _reached(
    isolated: Isolated, operand: int, axis: int, at: int, flow: Flow, result: torch.Tensor
) -> tuple[int, set[int]] | None:
    """The positions of an axis of the result that may depend on a position; None where the flow says nothing."""
    if isinstance(flow, Kept):
        return flow.to, {at}
    if isinstance(flow, Grouped) and not flow.split:
        parts = _parts(isolated, _result_axes(isolated.node)[flow.to])
        if parts is None:
            return None
        return flow.to, {p for p in range(result.shape[flow.to]) if _coordinates(p, parts)[flow.part] == at}
    if isinstance(flow, Grouped):
        kind = isolated.node.operands[operand].type
        assert isinstance(kind, TensorType)
        assert kind.axes is not None
        parts = _split_into(isolated, operand, axis) or _parts(isolated, kind.axes[axis])
        return (flow.to, {_coordinates(at, parts)[flow.part]}) if parts is not None else None
    return None


def _parts(isolated: Isolated, axis: Any) -> list[int] | None:
    sizes = [isolated.sizes.value(p.size) for p in axis.parts]
    return [s for s in sizes if s is not None] if sizes and None not in sizes else None


def _split_into(isolated: Isolated, operand: int, axis: int) -> list[int] | None:
    """The sizes of the parts that an axis is split into, where each becomes an axis of the result."""
    flows = isolated.node.operation.flows(isolated.node)[operand][axis]
    axes = _result_axes(isolated.node)
    found: dict[int, int] = {}
    for flow in flows:
        size = isolated.sizes.value(axes[flow.to].size) if isinstance(flow, Grouped) and flow.split else None
        if size is None or not isinstance(flow, Grouped):
            return None
        found[flow.part] = size
    return [found[i] for i in range(len(found))] if sorted(found) == list(range(len(found))) else None


def _coordinates(position: int, parts: list[int]) -> list[int]:
    found = []
    for size in reversed(parts):
        found.append(position % size)
        position //= size
    return found[::-1]


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape:
        return False
    if a.is_floating_point():
        return torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-6, equal_nan=True)
    return torch.equal(a, b)
