"""`rearrange`, `reduce`, `repeat` and `split`."""

from __future__ import annotations

from typing import NamedTuple

from shapescript_check.types.axes import Axes, Axis
from tests.property.programs.chooser import Chooser
from tests.property.programs.forms import form


class Side(NamedTuple):
    """The left side of a pattern: how each axis is written, the names in it, and sizes to give by keyword."""

    entries: list[str]
    names: list[str]
    keywords: list[str]


def _left(c: Chooser, axes: Axes) -> Side:
    side = Side([], [], [])
    for i, axis in enumerate(axes):
        others = {a.name for j, a in enumerate(axes) if j != i}
        side.entries.append(_entry(c, axis, side, {n for n in others if n is not None}))
    return side


def _entry(c: Chooser, axis: Axis, side: Side, others: set[str]) -> str:
    size = axis.size.as_int()
    if axis.parts and c.chance(0.7):
        return f"({' '.join(_part(c, p, side, others) for p in axis.parts)})"
    if size is not None and size > 1 and c.chance(0.3):
        factor = c.rng.choice([f for f in range(1, size + 1) if size % f == 0])
        if c.chance(0.25):
            name = _new(c, side)
            side.keywords.append(f"{name}={factor}")
            return f"({name} {_new(c, side)})"
        return (
            f"({_new(c, side)} {factor})"
            if c.chance(0.5) and factor > 1
            else f"({_new(c, side)} {_new_of(c, side, factor)})"
        )
    return _part(c, axis, side, others)


def _new(c: Chooser, side: Side) -> str:
    name = c.draft.fresh("a")
    side.names.append(name)
    return name


def _new_of(c: Chooser, side: Side, size: int) -> str:
    """A new name whose size a keyword says."""
    name = _new(c, side)
    side.keywords.append(f"{name}={size}")
    return name


def _part(c: Chooser, axis: Axis, side: Side, others: set[str]) -> str:
    known = axis.name is not None and (axis.name in c.draft.axes or axis.name in c.draft.dims)
    if (
        known
        and axis.name not in side.names
        and axis.name not in others
        and axis.name is not None
        and c.chance(0.8)
    ):
        side.names.append(axis.name)
        return axis.name
    if axis.size.as_int() == 1 and c.chance(0.5):
        return "1"
    return _new(c, side)


def _right(c: Chooser, names: list[str], *, ones: bool = True) -> str:
    """Names in some order, some of them grouped, with an axis of size 1 here and there."""
    names = c.rng.sample(names, len(names)) if c.chance(0.6) else list(names)
    entries: list[str] = []
    while names:
        count = c.rng.choice((2, 3)) if len(names) > 1 and c.chance(0.25) else 1
        taken, names = names[:count], names[count:]
        entries.append(taken[0] if len(taken) == 1 else f"({' '.join(taken)})")
        if ones and c.chance(0.08):
            entries.append("1")
    return " ".join(entries)


def _call(c: Chooser, name: str, x: str, side: Side, right: str, *more: str) -> str:
    arguments = ", ".join([f"{' '.join(side.entries)} -> {right}", *more, *side.keywords])
    return f"{x} |> {name}({arguments})" if c.chance(0.3) else f"{name}({x}, {arguments})"


@form("rearrange")
def _rearranged(c: Chooser) -> str | None:
    x = c.tensor(least=1)
    if x is None:
        return None
    side = _left(c, x[1].axes or ())
    # A number on the left that isn't 1 has to be on the right too.
    numbers = [w for e in side.entries for w in e.strip("()").split() if w.isdigit() and w != "1"]
    return _call(c, "rearrange", x[0], side, _right(c, [*side.names, *numbers]))


@form("reduce")
def _reduced(c: Chooser) -> str | None:
    word = c.one("sum", "mean", "max", "min", "prod", "any", "all")
    x = c.tensor(least=1, numbers=word not in ("sum", "prod"))
    if x is None:
        return None
    source = f"({x[0]} > 0)" if word in ("any", "all") else x[0]
    side = _left(c, x[1].axes or ())
    kept = [n for n in side.names if c.chance(0.5)]
    return _call(c, "reduce", source, side, _right(c, kept), word)


@form("repeat")
def _repeated(c: Chooser) -> str | None:
    x = c.tensor()
    if x is None:
        return None
    side = _left(c, x[1].axes or ())
    numbers = [w for e in side.entries for w in e.strip("()").split() if w.isdigit() and w != "1"]
    new: list[str] = []
    for _ in range(c.rng.randint(1, 2)):
        name = c.rng.choice([*c.draft.dims, *c.draft.axes, "2", "3", c.draft.fresh("r")])
        if name in side.names or name in new:
            continue
        new.append(name)
        if name.startswith("r"):
            side.keywords.append(f"{name}={c.host('int') if c.chance(0.15) else c.one('1', '2', '3')}")
    return _call(c, "repeat", x[0], side, _right(c, [*side.names, *numbers, *new]))


@form("split", statement=True)
def _split(c: Chooser) -> str | None:
    name = c.one("b", "n", "m")
    count = c.rng.choice((1, 2, 2, 3))
    words = [c.one("t", "c"), f"{count}*{name}"] if c.chance(0.6) else [f"({count} {name})", "h"]
    x = c.parameter(words)
    if x is None:
        return None
    axes = x[1].axes or ()
    side = Side([], [], [])
    entries = []
    for _axis, word in zip(axes, words, strict=True):
        inner = _new(c, side)
        entries.append(f"({count} {inner})" if str(count) in word else inner)
    targets = ", ".join(c.draft.fresh("v") for _ in range(count))
    right = _right(c, side.names, ones=count != 1)
    return f"{targets} = split({x[0]}, {' '.join(entries)} -> {right})"
