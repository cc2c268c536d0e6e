"""Indexing in brackets, and `causal`."""

from __future__ import annotations

from shapescript_check.types.axes import Axis
from tests.property.programs.chooser import Chooser
from tests.property.programs.elements import axis_word
from tests.property.programs.forms import form


def _integer(c: Chooser, axis: Axis) -> str:
    """A position that the axis has, or all of it where it may be empty: a position that isn't there is the caller's
    mistake."""
    size = axis.size.as_int()
    if not axis.size.surely_at_least(1):
        return ":"
    return c.one("0", "-1") if size is None else str(c.rng.randint(-size, size - 1))


def _bound(c: Chooser, axis: Axis) -> str:
    names = [n for n in (axis.name,) if n is not None and (n in c.draft.axes or n in c.draft.dims)]
    some = [f"{n}-1" for n in names] + names
    return c.rng.choice(["0", "1", "-1", "2", "-2", "3", *some, *some, c.host("int") or "1"])


def _slice(c: Chooser, axis: Axis) -> str:
    lo = _bound(c, axis) if c.chance(0.6) else ""
    hi = _bound(c, axis) if c.chance(0.6) else ""
    step = f":{c.one('1', '2', '3')}" if c.chance(0.3) else ""
    return f"{lo}:{hi}{step}"


@form("index int", "index slice", "index tensor", "index whole numbers")
def _indexed(c: Chooser, name: str) -> str | None:
    """One kind of index for sure, and any for the other axes."""
    x = c.tensor(least=1)
    if x is None:
        return None
    axes = x[1].axes or ()
    sure = c.rng.randrange(len(axes))
    entries: list[str] = []
    for i, axis in enumerate(axes[: c.rng.randint(sure + 1, len(axes))]):
        kind = name if i == sure else c.one("index int", "index slice", "whole", "whole", "index tensor")
        if kind == "index int":
            entries.append(_integer(c, axis))
        elif kind == "index slice":
            entries.append(_slice(c, axis))
        elif kind == "whole":
            entries.append(":")
        else:
            tensor = _tensor_index(c, axis, plain=kind == "index whole numbers")
            if tensor is None:
                return None
            entries.append(tensor)
    return f"{x[0]}[{', '.join(entries)}]"


def _tensor_index(c: Chooser, axis: Axis, *, plain: bool) -> str | None:
    if plain:
        if not axis.size.surely_at_least(1):
            return None
        found = c.parameter([c.one("k", "b", "2")] if c.chance(0.8) else [], c.one("i64", "i32", "u8"))
        # Clamped, as numbers that are no indices are the caller's mistake.
        return None if found is None else f"clamp({found[0]}, 0, 0)"
    index = c.index_into(axis)
    return index[0] if index is not None else None


@form("index mask")
def _masked(c: Chooser) -> str | None:
    x = c.tensor(least=1)
    if x is None:
        return None
    axes = x[1].axes or ()
    start = c.rng.randrange(len(axes))
    count = c.rng.randint(1, len(axes) - start)
    taken = axes[start : start + count]
    mask = c.existing(lambda k: k.is_mask and k.axes == taken) if c.chance(0.4) else None
    if mask is None:
        words = [axis_word(c.draft, a) for a in taken]
        mask = c.parameter([w for w in words if w is not None], "Mask")
    if mask is None:
        compared = c.existing(lambda k: not k.is_mask and k.axes == taken)
        if compared is None:
            return None
        return f"{x[0]}[{', '.join([':'] * start + [f'{compared[0]} > 0'])}]"
    before = [c.one(":", ":", _slice(c, axes[i]), _integer(c, axes[i])) for i in range(start)]
    after = [c.one(":", _slice(c, axes[i])) for i in range(start + count, len(axes))] if c.chance(0.3) else []
    return f"{x[0]}[{', '.join([*before, mask[0], *after])}]"


@form("causal")
def _causal(c: Chooser) -> str | None:
    names = [n for n, _ in c.draft.axes.items()]
    if not names:
        return None
    return f"{c.one('', '!')}causal[{c.rng.choice(names)} {c.rng.choice(names)}]"
