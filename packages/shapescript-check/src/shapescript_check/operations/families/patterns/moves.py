"""Moves of axes as torch calls: as few of them as a careful person would write."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from shapescript_check.operations.families.patterns.plan import Key, Part, Plan
from shapescript_check.operations.families.patterns.sizes import Axis, SizeReader
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply

_MOST_SINGLE_CALLS = 2
"""How many axes of size 1 are added or dropped by a call each before one `view` is shorter."""


class Moves:
    """A tensor whose axes are being moved: the Python for it, and what each of its axes is made of.

    Every axis is a tuple of parts. Parts that stay side by side are moved together, so an axis is only split where
    it has to be.
    """

    def __init__(self, value: ast.expr, axes: Sequence[Axis], sizes: SizeReader) -> None:
        self.value = value
        self.axes = list(axes)
        self.sizes = sizes

    def written(self) -> ast.expr:
        """The Python of it all."""
        return self.sizes.settle(self.value)

    # --- the same elements in the same order ---

    def regroup(self, after: Sequence[Axis]) -> None:
        """Splits and merges axes, and drops and adds axes of size 1, without moving an element."""
        before, after = self.axes, list(after)
        if before == after:
            return
        if [a for a in before if a] == [a for a in after if a]:
            if self._change_ones(after):
                return
        elif () not in before and () not in after and self._change_one_stretch(after):
            return
        if all(self.sizes.is_plain(a) for a in after):
            # Splitting an axis needs no copy, whatever the strides.
            method = "view" if all(_is_within(a, before) for a in after) else "reshape"
            self._call(method, [self.sizes.of(a) for a in after], after)
        else:
            self._in_steps(after)

    def _change_ones(self, after: list[Axis]) -> bool:
        """Only axes of size 1 come and go: by a call each, unless there are many."""
        dropped, added = _changed_ones(self.axes, after)
        if len(dropped) + len(added) > _MOST_SINGLE_CALLS and all(self.sizes.is_plain(a) for a in after):
            return False
        self._drop_ones(dropped)
        self._add_ones(added)
        return True

    def _drop_ones(self, positions: Sequence[int]) -> None:
        if len(positions) == 1:
            self.value = python("x.squeeze(d)", x=self.value, d=positions[0])
        elif positions:
            self.value = python("x.squeeze(d)", x=self.value, d=tuple(positions))
        self.axes = [a for i, a in enumerate(self.axes) if i not in positions]

    def _add_ones(self, positions: Sequence[int]) -> None:
        for i in sorted(positions):
            self.value = python("x.unsqueeze(d)", x=self.value, d=i)
            self.axes.insert(i, ())

    def _change_one_stretch(self, after: list[Axis]) -> bool:
        """One axis becomes several, or several become one, and all others stay."""
        before = self.axes
        shorter = min(len(before), len(after))
        head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
        tail = next((i for i in range(shorter - head) if before[-1 - i] != after[-1 - i]), shorter - head)
        old, new = before[head : len(before) - tail], after[head : len(after) - tail]
        if len(new) == 1:
            self._flatten(head, len(old))
            return True
        if len(old) == 1 and not all(self.sizes.is_plain(a) for a in after):
            self._unflatten(head, new)
            return True
        return False

    def _flatten(self, start: int, count: int) -> None:
        end = start + count - 1
        merged = tuple(p for a in self.axes[start : end + 1] for p in a)
        if end == len(self.axes) - 1:
            template = "x.flatten(i)" if start else "x.flatten()"
            self.value = python(template, x=self.value, i=start)
        else:
            self.value = python("x.flatten(i, j)", x=self.value, i=start, j=end)
        self.axes[start : end + 1] = [merged]

    def _unflatten(self, at: int, new: Sequence[Axis]) -> None:
        sizes = ast.Tuple(self.sizes.split(new), ast.Load())
        self.value = python("x.unflatten(d, sizes)", x=self.value, d=at, sizes=sizes)
        self.axes[at : at + 1] = list(new)

    def _in_steps(self, after: list[Axis]) -> None:
        """Where sizes would have to be read: what needs none of those that stay."""
        self._drop_ones([i for i, a in enumerate(self.axes) if not a])
        wanted = [a for a in after if a]
        pieces = _common_pieces(self.axes, wanted)
        for i in range(len(self.axes) - 1, -1, -1):
            if len(pieces[i]) > 1:
                self._unflatten(i, pieces[i])
        for at, axis in enumerate(wanted):
            count, parts = 0, 0
            while parts < len(axis):
                parts += len(self.axes[at + count])
                count += 1
            if count > 1:
                self._flatten(at, count)
        self._add_ones([i for i, a in enumerate(after) if not a])

    # --- elements that move ---

    def permute(self, order: Sequence[int]) -> None:
        """Puts axis `order[i]` at i."""
        rank = len(self.axes)
        moved = [i for i in range(rank) if order[i] != i]
        if not moved:
            return
        if len(moved) == 2:
            template = "x.mT" if moved == [rank - 2, rank - 1] else "x.transpose(i, j)"
            self.value = python(template, x=self.value, i=moved[0], j=moved[1])
        else:
            self._call("permute", [ast.Constant(i) for i in order])
        self.axes = [self.axes[i] for i in order]

    def repeat(self, after: Sequence[Axis]) -> None:
        """Adds the axes that are in `after` only, along which values repeat."""
        new = [i for i, a in enumerate(after) if a and a not in self.axes]
        if not new:
            return
        leading = next((i for i in range(len(after)) if i not in new), len(after))
        for i in new:
            if i >= leading:
                self.value = python("x.unsqueeze(d)", x=self.value, d=i - leading)
        sizes: list[ast.expr] = [
            self.sizes.times(a) if i in new else python("-1") for i, a in enumerate(after)
        ]
        self._call("expand", sizes, after)

    def _call(self, method: str, arguments: list[ast.expr], axes: Sequence[Axis] | None = None) -> None:
        # No sizes at all would be no argument.
        given = arguments or [ast.Tuple([], ast.Load())]
        self.value = ast.Call(ast.Attribute(self.value, method, ast.Load()), given, [])
        if axes is not None:
            self.axes = list(axes)


def _changed_ones(before: Sequence[Axis], after: Sequence[Axis]) -> tuple[list[int], list[int]]:
    """Which positions of `before` hold a 1 that goes, and which of `after` a 1 that comes."""
    dropped, added = [], []
    i = j = 0
    while i < len(before) or j < len(after):
        old = before[i] if i < len(before) else None
        new = after[j] if j < len(after) else None
        if old == new:
            i, j = i + 1, j + 1
        elif old == ():
            dropped.append(i)
            i += 1
        else:
            added.append(j)
            j += 1
    return dropped, added


def _is_within(axis: Axis, before: Sequence[Axis]) -> bool:
    """Whether all of an axis comes from one axis."""
    return not axis or any(axis[0] in a and axis[-1] in a for a in before)


def _common_pieces(before: Sequence[Axis], after: Sequence[Axis]) -> list[list[Axis]]:
    """For each axis of `before`, the pieces that it has to be split into to make up `after`."""
    owner = {p.key: i for i, a in enumerate(after) for p in a}
    result = []
    for axis in before:
        pieces: list[list[Part]] = []
        for part in axis:
            if pieces and owner[pieces[-1][-1].key] == owner[part.key]:
                pieces[-1].append(part)
            else:
                pieces.append([part])
        result.append([tuple(p) for p in pieces])
    return result


# --- plans -------------------------------------------------------------------------------------------------


class PlanMoves:
    """A plan of one input, laid out for `Moves`.

    Attributes:
        source: the axes of the input.
        target: the axes of the output.
        pieces: what the input's axes have to be split into: runs of parts that stay side by side.
        wanted: the pieces of the output's axes in order, with the repeated ones between them.
    """

    def __init__(self, node: Apply, emit: Emitter) -> None:
        plan: Plan = node.detail
        self.plan = plan
        self._lay_out(frozenset())
        ones = _lasting_ones(plan)
        if ones and (
            self.pieces != self.wanted or [a for a in self.source if a] == [a for a in self.target if a]
        ):
            # Axes move anyway, or nothing but the ones does: then they are moved like the others.
            self._lay_out(ones)
        runtime = {key: node.operands[i] for key, i in plan.runtime.items()}
        sizes = SizeReader(emit, node.operands[0], runtime)
        self.moves = Moves(sizes.value, self.source, sizes)

    def _lay_out(self, ones: frozenset[Key]) -> None:
        self._ones = ones
        self.source = [self._solid(e.parts) for e in self.plan.inputs[0]]
        self.target = [self._solid(e.parts) for e in self.plan.output]
        self.pieces = self._runs()
        by_first = {piece[0].key: piece for piece in self.pieces}
        self.wanted = [piece for axis in self.target for piece in _cut(axis, by_first)]

    def _solid(self, parts: Sequence[Part]) -> Axis:
        count = self.plan.count
        return tuple(
            p
            for p in parts
            if not p.is_one or p.key in self._ones or (count is not None and p.key == count.key)
        )

    def _runs(self) -> list[Axis]:
        followers: dict[Key, Key] = {}
        for axis in self.target:
            for part, following in pairwise(axis):
                followers[part.key] = following.key
        kept = self.plan.kept
        count = self.plan.count.key if self.plan.count is not None else None
        pieces: list[Axis] = []
        for axis in self.source:
            run: list[Part] = []
            for part in axis:
                both_gone = bool(run) and part.key not in kept and run[-1].key not in kept
                together = bool(run) and (both_gone or followers.get(run[-1].key) == part.key)
                if run and (not together or count in (part.key, run[-1].key)):
                    pieces.append(tuple(run))
                    run = []
                run.append(part)
            if run:
                pieces.append(tuple(run))
        return pieces

    def move(self) -> None:
        """From the input's axes to the output's."""
        if self.pieces == self.wanted:
            self.moves.regroup(self.target)
        else:
            self.moves.regroup(self.pieces)
            self.finish()

    def finish(self, first: Sequence[Axis] = ()) -> None:
        """From separate pieces to the output's axes: order, repeats and groups. `first` come before all others."""
        moves = self.moves
        wanted = [*first, *self.wanted]
        moves.permute([moves.axes.index(piece) for piece in wanted if piece in moves.axes])
        moves.repeat(wanted)
        moves.regroup([*first, *self.target])


def _lasting_ones(plan: Plan) -> frozenset[Key]:
    """Axes of size 1 that are axes on both sides."""
    before = {e.single for e in plan.inputs[0] if not e.grouped and e.parts[0].is_one}
    return frozenset(k for e in plan.output if (k := e.single) is not None and k in before)


def _cut(axis: Axis, by_first: dict[Key, Axis]) -> list[Axis]:
    """An axis of the output cut into pieces of the input, and the repeated ones between them."""
    pieces: list[Axis] = []
    new: list[Part] = []
    i = 0
    while i < len(axis):
        piece = by_first.get(axis[i].key)
        if piece is None:
            new.append(axis[i])
            i += 1
            continue
        if new:
            pieces.append(tuple(new))
            new = []
        pieces.append(piece)
        i += len(piece)
    if new:
        pieces.append(tuple(new))
    return pieces


def lower_move(node: Apply, emit: Emitter) -> ast.expr:
    """The Python of a rearrangement or a repeat."""
    plan = PlanMoves(node, emit)
    plan.move()
    return plan.moves.written()
