"""Which values an element may have."""

from __future__ import annotations

from typing import ClassVar

from shapescript_check.sizes import Size
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_syntax.records import value


@value
class Range:
    """Any number in an interval. `name` is the domain's name where it was written with one."""

    interval: Interval
    name: str | None = None

    _uncompared: ClassVar = ("name",)


@value
class Semantic:
    """`Logit`, `Prob` or `LogProb` over an axis, which is given by its position in the shape."""

    kind: str
    over: int

    @property
    def interval(self) -> Interval:
        return _SEMANTIC[self.kind]


@value
class Discrete:
    """`Mask`, `Binary` or `Additive`."""

    kind: str

    @property
    def interval(self) -> Interval:
        return _DISCRETE[self.kind]


@value
class IndexOf:
    """`Index[V]`: whole numbers from 0 up to, but not including, a size."""

    size: Size

    @property
    def interval(self) -> Interval:
        top = self.size.as_int()
        return Interval.NONNEG if top is None else Interval.whole(0, max(top - 1, 0))


Domain = Range | Semantic | Discrete | IndexOf

REAL = Range(Interval.REAL)
NONNEG = Range(Interval.NONNEG)
POS = Range(Interval.POS)
UNIT = Range(Interval.UNIT)
SIGNED = Range(Interval.SIGNED)
MASK = Discrete("Mask")
BINARY = Discrete("Binary")
ADDITIVE = Discrete("Additive")

_SEMANTIC = {
    "Logit": Interval.REAL,
    "Prob": Interval.UNIT,
    "LogProb": Interval.nonpositive(),
}
_DISCRETE = {
    "Mask": Interval.UNIT,
    "Binary": Interval.UNIT,
    "Additive": Interval.nonpositive(),
}

RANGES = {"Real": REAL, "NonNeg": NONNEG, "Pos": POS, "Unit": UNIT, "Signed": SIGNED}
DISCRETE = {"Mask": MASK, "Binary": BINARY, "Additive": ADDITIVE}
SEMANTIC = ("Logit", "Prob", "LogProb")
BUILTIN_DOMAINS = (*RANGES, *SEMANTIC, *DISCRETE, "Index")


def default_dtype(domain: Domain) -> DType:
    """The dtype of a type that names a domain and no dtype."""
    if domain is MASK or domain == MASK:
        return DType.BOOL
    return DType.I64 if isinstance(domain, IndexOf) else DType.F32


def is_mask(domain: Domain) -> bool:
    return isinstance(domain, Discrete) and domain.kind == "Mask"


def is_built_in(interval: Interval) -> bool:
    """Whether a range has a name in every file."""
    return any(domain.interval == interval for domain in RANGES.values())


def range_text(interval: Interval) -> str:
    """A range by the built-in name it has, nothing for Real, otherwise as an interval."""
    for name, domain in RANGES.items():
        if domain.interval == interval:
            return "" if name == "Real" else name
    return str(interval)


def domain_text(domain: Domain, axis_text: str | None = None) -> str:
    """A domain as messages show it; `axis_text` names the axis of a semantic one."""
    if isinstance(domain, Range):
        return domain.name if domain.name and domain.name != "Real" else range_text(domain.interval)
    if isinstance(domain, Semantic):
        return f"{domain.kind} over {axis_text or f'axis {domain.over}'}"
    if isinstance(domain, Discrete):
        return domain.kind
    return f"Index[{domain.size}]"
