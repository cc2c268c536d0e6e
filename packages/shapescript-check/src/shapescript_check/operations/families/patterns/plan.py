"""A pattern once it is understood: what each part of each side is, and its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from shapescript_check.sizes import Size
from shapescript_check.types.axes import Axes, Axis
from shapescript_syntax.records import value

if TYPE_CHECKING:
    from shapescript_check.operations.families.reductions import Reduction

Key = str | int
"""What a part is told apart by: its name, or for a number a count. A number on the right has the key of the number
on the left that it stands for."""

ONE = Size.number(1)


@value
class Part:
    """A name or a number of a pattern."""

    key: Key
    size: Size

    @property
    def name(self) -> str | None:
        return self.key if isinstance(self.key, str) else None

    @property
    def is_one(self) -> bool:
        """Whether it is the number 1, which may come and go."""
        return isinstance(self.key, int) and self.size.as_int() == 1


@value
class Entry:
    """One axis of a side: a part, or a group of parts."""

    parts: tuple[Part, ...]
    grouped: bool
    size: Size

    @property
    def single(self) -> Key | None:
        """The key of an entry that is no group."""
        return None if self.grouped else self.parts[0].key


Side = tuple[Entry, ...]


@value
class Plan:
    """A bound pattern: one input side for each tensor, and the output.

    `runtime` has the parts whose size is only known when the program runs, each with the operand that is its size.
    `reduction` combines the parts that are not in the output, and `count` is the part that `split` takes apart.
    """

    inputs: tuple[Side, ...]
    output: Side
    runtime: Mapping[Key, int]
    reduction: Reduction | None = None
    count: Part | None = None

    @property
    def kept(self) -> frozenset[Key]:
        """The keys of the output."""
        return frozenset(p.key for p in parts_of(self.output))


def parts_of(side: Side) -> Iterator[Part]:
    """The parts of a side in order, out of their groups."""
    for entry in side:
        yield from entry.parts


def axes_of(side: Side) -> Axes:
    """The axes that a side describes: named where an entry is a name, with parts where it is a group."""
    return tuple(_axis(entry) for entry in side)


def _axis(entry: Entry) -> Axis:
    if entry.grouped:
        return Axis(entry.size, None, tuple(Axis(p.size, p.name) for p in entry.parts))
    return Axis(entry.size, entry.parts[0].name)
