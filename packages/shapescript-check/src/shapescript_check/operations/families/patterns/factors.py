"""Tensors with named axes, for writing a contraction as torch calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.families.patterns.moves import Moves
from shapescript_check.operations.families.patterns.plan import Key, Part, Side, parts_of
from shapescript_check.operations.families.patterns.sizes import Axis, SizeReader
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Typed

if TYPE_CHECKING:
    import ast


class Factor:
    """One tensor of a contraction: the Python for it, and the name of each axis. Axes may be merged."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves

    @staticmethod
    def of(side: Side, node: Typed, emit: Emitter) -> Factor:
        """The factor that a side of names describes."""
        sizes = SizeReader(emit, node, {})
        return Factor(Moves(sizes.value, [(p,) for p in parts_of(side)], sizes))

    @property
    def value(self) -> ast.expr:
        return self.moves.value

    @value.setter
    def value(self, value: ast.expr) -> None:
        self.moves.value = value

    @property
    def names(self) -> list[Key]:
        """The names of the axes; of a merged one, all of its names in order."""
        return [p.key for axis in self.moves.axes for p in axis]

    def axis(self, names: Sequence[Key]) -> Axis:
        """The axis or axes of some names, as one."""
        parts: dict[Key, Part] = {p.key: p for axis in self.moves.axes for p in axis}
        return tuple(parts[n] for n in names)

    def sum_out(self, names: Sequence[Key]) -> None:
        """Adds up along some axes."""
        gone = [i for i, axis in enumerate(self.moves.axes) if axis[0].key in names]
        if not gone:
            return
        if len(gone) == len(self.moves.axes):
            self.value = python("x.sum()", x=self.value)
        else:
            self.value = python("x.sum(dim=d)", x=self.value, d=gone[0] if len(gone) == 1 else gone)
        self.moves.axes = [a for i, a in enumerate(self.moves.axes) if i not in gone]

    def arrange(self, groups: Sequence[Sequence[Key]]) -> None:
        """Puts axes in an order, each group of names merged to one axis."""
        wanted = [self.axis(names) for names in groups]
        for axis in wanted:
            self._merge_in_place(axis)
        pieces = [
            piece
            for axis in wanted
            for piece in ([axis] if axis in self.moves.axes else [(p,) for p in axis])
        ]
        self.moves.permute([self.moves.axes.index(piece) for piece in pieces])
        self.moves.regroup(wanted)

    def _merge_in_place(self, axis: Axis) -> None:
        """Merges axes that are neighbours already, which costs nothing, before any moves."""
        axes = self.moves.axes
        if len(axis) < 2 or (axis[0],) not in axes:
            return
        at = axes.index((axis[0],))
        if axes[at : at + len(axis)] == [(p,) for p in axis]:
            self.moves.regroup([*axes[:at], axis, *axes[at + len(axis) :]])

    def are_neighbours(self, names: Sequence[Key]) -> bool:
        """Whether axes stand side by side in this order."""
        mine = self.names
        at = mine.index(names[0])
        return mine[at : at + len(names)] == list(names)

    def spread(self, names: Sequence[Key]) -> None:
        """Puts axes in the order of `names`, with an axis of size 1 for each name that this has not, so that torch
        broadcasts it to them."""
        mine = [n for n in names if n in self.names]
        self.arrange([[n] for n in mine])
        if mine:
            first = names.index(mine[0])
            self.moves.regroup([self.axis([n]) if n in mine else () for n in names[first:]])
