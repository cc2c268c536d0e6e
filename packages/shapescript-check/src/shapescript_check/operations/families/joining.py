"""Operations that put tensors together, and what holds of values that come from several."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.elementwise import bounded, stored_interval
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.typed.tree import Typed
from shapescript_check.types import intervals
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import Domain, IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.values import TensorType
from shapescript_syntax.records import value


@value
class Part:
    """One of the tensors that are put together."""

    node: Typed
    type: TensorType
    axes: Axes


def parts_of(call: OperationCall, name: str) -> list[Part]:
    """The tensors given, all masks or all numbers. Every one is typed before any is refused."""
    nodes = call.values(name)
    parts: list[Part] = []
    for node in nodes:
        try:
            parts.append(Part(*call.as_shaped(node)))
        except Refused:
            continue
    if len(parts) < len(nodes):
        raise Refused
    check_all_masks(call, parts)
    return parts


def check_all_masks(call: OperationCall, parts: Sequence[Part]) -> None:
    """Refuses masks among numbers."""
    masks = [p for p in parts if p.type.is_mask]
    if masks and len(masks) < len(parts):
        call.refuse(
            "E0501",
            masks[0].node.span,
            f"`{call.shown_name}` takes masks or numbers, and this is a Mask among numbers",
            label="holds true and false",
            help=f"convert it: {in_brackets(call, masks[0].node)} to Binary",
        )


def joined_dtype(parts: Sequence[Part]) -> DType | None:
    """The dtype that torch joins tensors in: their promotion, all of them counting alike."""
    return promote((p.type.dtype, Tier.TENSOR) for p in parts)


def joined_domain(parts: Sequence[Part], dtype: DType | None, along: int | None = None) -> Domain:
    """The domain of values each of which is one of these tensors'.

    Args:
        parts: the tensors.
        dtype: the result's dtype.
        along: the axis along which they follow each other; None where they are mixed position by position, which
            leaves no distribution one.
    """
    first = parts[0].type.domain
    if all(p.type.domain == first for p in parts):
        if isinstance(first, Semantic):
            if along is not None and along != first.over:
                return first
        elif not isinstance(first, Range) or all(p.type.dtype is dtype for p in parts):
            return first
    if isinstance(first, IndexOf) and all(_same_index(p.type.domain, first) for p in parts):
        return first
    interval = stored_interval(first.interval, parts[0].type.dtype)
    for part in parts[1:]:
        interval = intervals.where(
            interval, stored_interval(part.type.domain.interval, part.type.dtype), dtype
        )
    return bounded(interval, dtype)


def _same_index(domain: Domain, first: IndexOf) -> bool:
    return isinstance(domain, IndexOf) and domain.size.same(first.size)
