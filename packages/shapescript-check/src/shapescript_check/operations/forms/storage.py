"""The domain of values that are stored in another dtype."""

from __future__ import annotations

from math import inf, trunc

from shapescript_check.operations.families.elementwise import stored_interval, stored_wider
from shapescript_check.types.domains import BINARY, Discrete, Domain, IndexOf, Range, Semantic, is_mask
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval, operand


def converted_domain(domain: Domain, mine: DType | None, dtype: DType) -> Domain:
    """The domain of values that are stored in another dtype."""
    if is_mask(domain):
        return BINARY if dtype.kind == "float" else Range(Interval.UNIT)
    if isinstance(domain, IndexOf):
        top = domain.size.as_int()
        if dtype.kind == "int" and top is not None and top - 1 <= dtype.int_range[1]:
            return domain
        return Range(_fitted(domain.interval, dtype))
    domain = stored_wider(domain, mine, dtype)
    if dtype.kind == "float":
        if isinstance(domain, Range):
            return Range(stored_interval(domain.interval, mine).rounded_to(dtype))
        return domain
    if isinstance(domain, Semantic | Discrete):
        domain = Range(domain.interval)
    assert isinstance(domain, Range)
    return Range(_fitted(_truncated(operand(stored_interval(domain.interval, mine), mine)), dtype))


def _truncated(interval: Interval) -> Interval:
    """Rounding towards zero."""

    def end(value: float) -> float:
        return value if value in (inf, -inf) else float(trunc(value))

    return Interval(end(interval.lo), end(interval.hi))


def _fitted(interval: Interval, dtype: DType) -> Interval:
    if dtype.kind != "int":
        return interval.rounded_to(dtype)
    lo, hi = dtype.int_range
    whole = Interval.whole(lo, hi) if dtype.bits <= 16 else Interval.REAL
    return interval if whole.contains(interval) else whole
