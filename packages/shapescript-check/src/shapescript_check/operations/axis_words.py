"""Helps for what is written where the name of an axis belongs, in the words of PyTorch or in none."""

from __future__ import annotations

from typing import Protocol

from shapescript_check.declarations.interfaces import Interface
from shapescript_check.sizes import Size
from shapescript_check.types.axes import Axes, named
from shapescript_syntax import tree

_FRESH = "kpqrstuvw"


class Names(Protocol):
    """What a name may already mean."""

    def axis_size(self, name: str) -> Size | None:
        """The size that a dim or an axis name in scope stands for."""

    def is_value(self, name: str) -> bool:
        """Whether a value of the function has a name."""

    def declaration(self, name: str) -> Interface | None:
        """What a name is declared as."""


def meant_axis(names: Names, axes: Axes, syntax: object, parameter: str = "over") -> str | None:
    """The help for something else than a name: the name of the axis that a number counts, or a string spells."""
    at = _counted(syntax, len(axes))
    if at is not None:
        name = axes[at].name
        return f"write {parameter}={name}" if name is not None else naming(names, axes, None, at, parameter)
    if isinstance(syntax, tree.String) and syntax.value in named(axes):
        return f"write {parameter}={syntax.value}"
    return any_axis(names, axes, parameter)


def any_axis(names: Names, axes: Axes, parameter: str = "over") -> str | None:
    """The help where no axis is named at all: most operations are along the last one."""
    if not axes:
        return None
    last = axes[-1].name
    return (
        f"name it, as in {parameter}={last}" if last else naming(names, axes, None, len(axes) - 1, parameter)
    )


def naming(
    names: Names, axes: Axes, wanted: str | None, at: int | None = None, parameter: str = "over"
) -> str | None:
    """How an axis without a name gets one, the wanted one if that is free; None where it can't be told which."""
    unnamed = [i for i, axis in enumerate(axes) if axis.name is None]
    if at is None and len(unnamed) == 1:
        at = unnamed[0]
    if at is None:
        return None
    taken = {axis.name for axis in axes if axis.name is not None}
    free = (c for c in _FRESH if c not in taken and _is_free(names, c))
    name = wanted if wanted is not None and _is_free(names, wanted) else next(free, None)
    entries = [axis.name or (name if i == at else next(free, None)) for i, axis in enumerate(axes)]
    if None in entries or len(set(entries)) < len(entries):
        return None
    pattern = " ".join(map(str, entries))
    then = "" if name == wanted else f", and then {parameter}={name}"
    return f"give the axis a name first: |> rearrange({pattern} -> {pattern}){then}"


def _is_free(names: Names, name: str) -> bool:
    return names.axis_size(name) is None and names.declaration(name) is None and not names.is_value(name)


def _counted(syntax: object, rank: int) -> int | None:
    """The axis that torch's `dim=1` or `dim=-1` is."""
    if isinstance(syntax, tree.Int):
        at = syntax.value
    elif isinstance(syntax, tree.Unary) and syntax.op == "-" and isinstance(syntax.operand, tree.Int):
        at = rank - syntax.operand.value
    else:
        return None
    return at if 0 <= at < rank else None
