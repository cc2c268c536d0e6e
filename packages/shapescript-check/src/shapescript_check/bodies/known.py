"""What is known of values while an elementwise function's body is followed: domains, and how they are stored."""

from __future__ import annotations

from shapescript_check.bodies.joins import join_domains
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.operation import Stored
from shapescript_check.typed import tree as typed
from shapescript_check.types.domains import REAL, Domain, Range
from shapescript_check.types.dtypes import DType, Tier
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax.records import replaced, value


@value
class Known:
    """What is known of a number or numbers. A dtype of None is the caller's, or one of several."""

    domain: Domain
    dtype: DType | None
    tier: Tier

    @property
    def stored(self) -> Stored:
        """How it is stored."""
        return self.dtype, self.tier


Names = dict[str, Known]


def known_of(value: typed.Typed) -> Known:
    """What is known of a typed value from its type."""
    kind = value.type
    if isinstance(kind, TensorType):
        return Known(kind.domain, kind.dtype, Tier.SCALAR_TENSOR if kind.axes == () else Tier.TENSOR)
    if isinstance(kind, HostType):
        return Known(Range(kind.interval), HOST_DTYPES[kind.kind], Tier.NUMBER)
    return Known(REAL, None, Tier.TENSOR)


def joined(a: Known, b: Known) -> Known:
    """What is known of a value that is one or the other."""
    domain = join_domains(a.domain, b.domain)
    # How it is stored decides how it promotes, so of two ways neither can be taken.
    return (
        Known(domain, a.dtype, a.tier) if a.stored == b.stored else Known(domain, None, min(a.tier, b.tier))
    )


def joined_names(a: Names, b: Names) -> Names:
    """What is known after two paths."""
    return {name: joined(known, b[name]) for name, known in a.items() if name in b}


def settled(before: Names, after: Names, round_number: int) -> Names:
    """What is known at the start of a loop's next round: ends that still grow after two become infinite, and a domain
    that still changes after six is Real."""
    result = joined_names(before, after)
    for name, known in result.items():
        old = before[name].domain
        if known.domain == old or round_number < 2:
            continue
        domain: Domain = REAL
        if round_number < 6 and isinstance(old, Range) and isinstance(known.domain, Range):
            domain = Range(known.domain.interval.widen(old.interval))
        result[name] = replaced(known, domain=domain)
    return result
