"""Types as text: random shapes, domains and dtypes, and how an axis that a value has is written in a signature."""

from __future__ import annotations

import random

from shapescript_check.sizes import Size, SymbolKind
from shapescript_check.types.axes import Axes, Axis, named
from tests.property.programs.draft import Draft

GENERICS = ("b", "n", "m", "t", "c", "h", "w")
"""Names for generic axes."""

FLOATS = ("", "", "", "f32", "f64", "f16", "bf16")
INTEGERS = ("i64", "i64", "i32", "u8", "i8", "i16")
RANGES = ("", "", "", "Real", "NonNeg", "Pos", "Unit", "Signed")


def axis_word(draft: Draft, axis: Axis) -> str | None:
    """How an axis is written in the signature; None where its size is only known inside the function."""
    if axis.name is not None and axis.name in draft.axes:
        generic = axis.name in {s.name for s in draft.interface.generics}
        return axis.name if generic and draft.axes[axis.name].same(axis.size) else _size_word(axis.size)
    if axis.name is not None and axis.name in draft.dims:
        return axis.name
    if axis.parts and len(axis.parts) > 1:
        words = [axis_word(draft, p) for p in axis.parts]
        return f"({' '.join(w for w in words if w)})" if all(words) else None
    return _size_word(axis.size)


def _size_word(size: Size) -> str | None:
    if any(s.kind is SymbolKind.UNKNOWN for s in size.symbols()):
        return None
    value = size.as_int()
    if value is not None and value < 1:
        return None
    return str(size).replace(" ", "")


def shape_words(draft: Draft, axes: Axes) -> list[str] | None:
    """The axes of a value as a signature would write them; None where it can't."""
    words = [axis_word(draft, a) for a in axes]
    return None if None in words else [w for w in words if w is not None]


def random_axis(draft: Draft, rng: random.Random) -> str:
    """An axis of a signature: mostly a name."""
    drawn = rng.random()
    known = [s.name for s in draft.interface.generics]
    if drawn < 0.35 and known:
        return rng.choice(known)
    if drawn < 0.6:
        return rng.choice([g for g in GENERICS if g not in draft.axes or g in known] or known)
    if drawn < 0.82 and draft.dims:
        return rng.choice(sorted(draft.dims))
    if drawn < 0.9:
        return str(rng.randint(1, 4))
    name = rng.choice([g for g in (*GENERICS, *draft.dims) if g not in draft.axes or g in known])
    if name in draft.dims:
        return rng.choice((f"2*{name}", f"{name}+1", f"({name} 2)", f"3*{name}", f"(2 {name})"))
    return rng.choice((f"2*{name}", f"{name}+1", f"({name} 2)", f"2{name}", f"(2 {name})", f"3*{name}-1"))


def random_shape(draft: Draft, rng: random.Random, least: int = 0, most: int = 3) -> list[str]:
    """The axes of a parameter."""
    return [random_axis(draft, rng) for _ in range(rng.randint(least, most))]


def random_element(draft: Draft, rng: random.Random, names: list[str], *, numbers: bool = False) -> str:
    """A domain and a dtype, for a shape with axes of the given names. `numbers` leaves out masks."""
    drawn = rng.random()
    if drawn < 0.5:
        domain = rng.choice((*RANGES, *(d.name for d in draft.domains)))
        return f"{domain} {rng.choice(FLOATS)}".strip()
    if drawn < 0.68:
        return rng.choice(INTEGERS)
    if drawn < 0.8 and names:
        return f"{rng.choice(('Logit', 'Prob', 'LogProb'))} over {rng.choice(names)} {rng.choice(FLOATS)}".strip()
    if drawn < 0.87:
        return f"{rng.choice(('Binary', 'Binary', 'Additive'))} {rng.choice(FLOATS)}".strip()
    if drawn < 0.93 and (names or draft.dims):
        dtype = rng.choice(("", "", "i32", "i64"))
        return f"Index[{rng.choice([*names, *draft.dims])}] {dtype}".strip()
    return "" if numbers else rng.choice(("Mask", "bool"))


def names_in(words: list[str]) -> list[str]:
    """The names among the axes of a shape."""
    return [w for w in words if w.isidentifier()]


def names_of(axes: Axes) -> list[str]:
    """The names that axes can be called by, where each stands for one axis only."""
    return sorted(set(named(axes)))


def type_text(words: list[str] | None, element: str = "") -> str:
    """A type, with a shape or without."""
    shape = "" if words is None else f"[{' '.join(words)}]"
    return f"{shape} {element}".strip() or "Real"
