"""Operations that put tensors together, and what holds of values that come from several."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.elementwise import bounded, stored_interval, stored_wider
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
    domains = [stored_wider(p.type.domain, p.type.dtype, dtype) for p in parts]
    first = domains[0]
    if all(d == first for d in domains):
        if isinstance(first, Semantic):
            if along is not None and along != first.over:
                return first
        elif not isinstance(first, Range) or all(p.type.dtype is dtype for p in parts):
            return first
    if isinstance(first, IndexOf) and all(_same_index(d, first) for d in domains):
        return first
    read = [stored_interval(d.interval, p.type.dtype) for d, p in zip(domains, parts, strict=True)]
    interval = read[0]
    for other in read[1:]:
        interval = intervals.where(interval, other, dtype)
    return bounded(interval, dtype)


def _same_index(domain: Domain, first: IndexOf) -> bool:
    return isinstance(domain, IndexOf) and domain.size.same(first.size)
