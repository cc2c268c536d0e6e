"""What is known of a value that two paths leave: the same type, and the narrowest domain that holds both."""

from __future__ import annotations

from collections.abc import Iterator

from shapescript_check.types.axes import shape_text
from shapescript_check.types.domains import REAL, Domain, Range, Semantic, is_mask
from shapescript_check.types.values import ERROR, ErrorType, HostType, PythonType, TensorType, ValueType


def same_kind(a: ValueType, b: ValueType) -> bool:
    """Whether a value may become another in a block: the same shape, axis names and dtype, or the same kind of
    host scalar; a Python value may become any Python value."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        if a.dtype is not b.dtype or (a.axes is None) != (b.axes is None) or a.is_mask != b.is_mask:
            return False
        mine, theirs = a.axes or (), b.axes or ()
        return len(mine) == len(theirs) and all(
            x.name == y.name and x.size.same(y.size) for x, y in zip(mine, theirs, strict=True)
        )
    if isinstance(a, HostType) and isinstance(b, HostType):
        return a.kind == b.kind
    if isinstance(a, PythonType) and isinstance(b, PythonType):
        return True
    return a == b


def why_another_type(a: ValueType, b: ValueType) -> Iterator[str]:
    """Notes on what differs between two types."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return
    mine, theirs = a.axes or (), b.axes or ()
    if len(mine) != len(theirs):
        yield f"{shape_text(mine)} has {len(mine)} axes, and {shape_text(theirs)} has {len(theirs)}"
        return
    for i, (x, y) in enumerate(zip(mine, theirs, strict=True)):
        if not x.size.same(y.size):
            yield f"axis {i + 1}: {x.size.text_with_value()} before, {y.size.text_with_value()} after"
        elif x.name != y.name:
            yield f"axis {i + 1} is named {x.name or 'nothing'} before, and {y.name or 'nothing'} after"
    if a.dtype is not b.dtype:
        yield f"it is stored as {a.dtype} before, and as {b.dtype} after"


def join(a: ValueType, b: ValueType, kind: ValueType) -> ValueType:
    """The type of a value that is `a` on one path and `b` on the other; `kind` where they don't go together."""
    if a == b:
        return a
    if isinstance(a, ErrorType) or isinstance(b, ErrorType):
        return ERROR
    if not same_kind(a, b):
        return kind
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return a.with_domain(join_domains(a.domain, b.domain))
    if isinstance(a, HostType) and isinstance(b, HostType):
        size = a.size if a.size is not None and b.size is not None and a.size.same(b.size) else None
        return HostType(a.kind, a.interval.hull(b.interval), size)
    return a


def join_domains(a: Domain, b: Domain) -> Domain:
    """The narrowest domain that holds two."""
    if a == b:
        return a
    if is_mask(a) or is_mask(b):
        return a
    logits = [d for d in (a, b) if isinstance(d, Semantic) and d.kind == "Logit"]
    if logits and not any(isinstance(d, Semantic) and d.kind == "Prob" for d in (a, b)):
        return logits[0] if all(isinstance(d, Range) or d == logits[0] for d in (a, b)) else REAL
    return Range(a.interval.hull(b.interval))


def widened(old: ValueType, new: ValueType) -> ValueType:
    """The type of a loop's value whose range still grows: the ends that grew become infinite."""
    if isinstance(old, TensorType) and isinstance(new, TensorType):
        if isinstance(old.domain, Range) and isinstance(new.domain, Range):
            return new.with_domain(Range(new.domain.interval.widen(old.domain.interval)))
        return new
    if isinstance(old, HostType) and isinstance(new, HostType):
        return HostType(new.kind, new.interval.widen(old.interval))
    return new
