"""The axes of a shape."""

from __future__ import annotations

from collections.abc import Mapping

from shapescript_check.sizes import Size, Symbol
from shapescript_syntax.records import value


@value
class Axis:
    """One axis: its size, its name if it has one, and, for a group such as `(gh gw)`, the axes it is made of.

    Only an axis that is a single name has a name: `D`, `n`, but not `3*D`, `196` or `(gh gw)`.
    """

    size: Size
    name: str | None = None
    parts: tuple[Axis, ...] = ()

    def substituted(self, sizes: Mapping[Symbol, Size]) -> Axis:
        """This axis with size symbols replaced, without a name."""
        return Axis(self.size.substitute(sizes), None, tuple(p.substituted(sizes) for p in self.parts))

    def __str__(self) -> str:
        if self.parts:
            outer, inner = self.parts[0], self.parts[-1]
            if len(self.parts) == 2 and outer.name and not inner.name and inner.size.as_int() is not None:
                return f"{inner.size}{outer.name}"
            return "(" + " ".join(str(p) for p in self.parts) + ")"
        text = str(self.size)
        return self.name or (text if " " not in text else text.replace(" ", ""))


Axes = tuple[Axis, ...]

REST = Axis(Size.number(0), "...")
"""Stands for any other axes in the signature of an `extern fn`; never an axis of a value."""


def shape_text(axes: Axes | None) -> str:
    """A shape as it is written: `[b n 3*D]`, or nothing for any shape."""
    return "" if axes is None else "[" + " ".join(str(a) for a in axes) + "]"


def named(axes: Axes) -> tuple[str, ...]:
    """The names that axes have, in order."""
    return tuple(a.name for a in axes if a.name is not None)


def position(axes: Axes, name: str) -> int | None:
    """Where the last axis of a name is, or None. (Two axes of one name are told apart by position only.)"""
    for i in range(len(axes) - 1, -1, -1):
        if axes[i].name == name:
            return i
    return None
