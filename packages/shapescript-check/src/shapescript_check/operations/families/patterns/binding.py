"""Binding the input sides of a pattern to the axes of its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from shapescript_check.operations.broadcasting import why_different
from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.patterns.groups import GroupSolver
from shapescript_check.operations.families.patterns.keywords import KeywordSizes
from shapescript_check.operations.families.patterns.plan import Entry, Key, Part, Side
from shapescript_check.operations.families.patterns.transposition import check_order
from shapescript_check.operations.families.patterns.written import (
    WrittenEntry,
    WrittenPart,
    WrittenPattern,
    WrittenSide,
)
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_check.types.values import TensorType
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span


class Binder:
    """Binds one pattern: which size each name has, and where it comes from.

    Attributes:
        keywords: the sizes given by keyword.
        new: the names that the pattern brings into scope, each with the place where it does.
    """

    def __init__(self, call: OperationCall, pattern: WrittenPattern) -> None:
        self.call = call
        self.pattern = pattern
        self.keywords = KeywordSizes(call, pattern)
        self.new: dict[str, Span] = {}
        self._sizes: dict[str, Size] = {}
        self._told: dict[str, Label] = {}
        """Where the size of each name that this pattern settles was settled."""
        self._numbers = 0

    # --- names and numbers ---

    def size_of(self, part: WrittenPart) -> Size | None:
        """The size of a part: a number's own, or a name's that is in scope, given by keyword or bound before."""
        if part.name is None:
            return Size.number(part.number)
        known = self._sizes.get(part.name)
        if known is None:
            known = self.keywords.sizes.get(part.name)
            if known is not None:
                self.new[part.name] = self.keywords.spans[part.name]
                self._told[part.name] = Label(self.keywords.spans[part.name], "its size is given here")
            else:
                known = self._in_scope(part)
            if known is not None:
                self._sizes[part.name] = known
        return known

    def _in_scope(self, part: WrittenPart) -> Size | None:
        if part.syntax is None:
            return self.call.context.axis_size(part.name or "")
        size = self.call.context.resolve_size(part.syntax)
        if size is None:
            self.call.refuse("E0301", part.span, f"unknown size `{part.name}`")
        return size

    def settle(self, part: WrittenPart, size: Size, operand: Typed) -> None:
        """Gives a new name its size."""
        assert part.name is not None
        self._sizes[part.name] = size
        self.new[part.name] = part.span
        self._told[part.name] = Label(operand.span, shape_text(_axes(operand)))

    def part(self, written: WrittenPart, size: Size) -> Part:
        """A part of the plan; each number is told apart."""
        return Part(self.key(written), size)

    def key(self, written: WrittenPart) -> Key:
        if written.name is not None:
            return written.name
        self._numbers += 1
        return self._numbers

    def introduced(self) -> dict[str, tuple[Size, Span]]:
        """The names that come into scope, with their sizes and where they do."""
        return {name: (self._sizes[name], span) for name, span in self.new.items()}

    # --- sides ---

    def bind(self, side: WrittenSide, operand: Typed) -> Side:
        """Binds the entries of a side to the operand's axes, by position.

        Reports E0401, E0402, E0403, E0408, E0409 or E0414.
        """
        axes = _axes(operand)
        if len(axes) != len(side.entries):
            self._refuse_rank(side, axes, operand)
        check_order(self.call, side, axes, operand)
        return tuple(self._entry(entry, axes[i], operand, i) for i, entry in enumerate(side.entries))

    def _entry(self, entry: WrittenEntry, axis: Axis, operand: Typed, index: int) -> Entry:
        if entry.grouped:
            return self._group(entry, axis, operand, index)
        (part,) = entry.parts
        size = self.size_of(part)
        if size is None:
            size = axis.size
            self.settle(part, size, operand)
        elif not size.same(axis.size):
            self._refuse_size(part, size, axis, operand, index)
        return Entry((self.part(part, size),), False, size)

    def _group(self, entry: WrittenEntry, axis: Axis, operand: Typed, index: int) -> Entry:
        known = [self.size_of(part) for part in entry.parts]
        chosen = [part.name in self.keywords.runtime for part in entry.parts]
        sizes = GroupSolver(self.call, entry, operand, index).solve(known, chosen)
        for part, before, size in zip(entry.parts, known, sizes, strict=True):
            if before is None:
                self.settle(part, size, operand)
        parts = tuple(self.part(p, s) for p, s in zip(entry.parts, sizes, strict=True))
        return Entry(parts, True, axis.size)

    # --- what is wrong ---

    def _refuse_rank(self, side: WrittenSide, axes: Axes, operand: Typed) -> NoReturn:
        self.call.refuse(
            "E0403",
            side.span if side.entries else self.pattern.span,
            f"the pattern names {_axes_text(len(side.entries))}, and the operand is {shape_text(axes)}",
            label=f"one entry for each of the {len(axes)} axes is needed" if len(axes) > 1 else "",
            labels=(Label(operand.span, shape_text(axes)),),
        )

    def _refuse_size(self, part: WrittenPart, size: Size, axis: Axis, operand: Typed, index: int) -> NoReturn:
        shown = size.text_with_value()
        if part.name is not None and shown != part.name and not shown.startswith(f"{part.name} ="):
            shown = f"{part.name} = {shown}"
        labels = [Label(operand.span, shape_text(_axes(operand)))]
        told = self._told.get(part.name or "")
        if told is not None and told.span != operand.span:
            labels.append(told)
        self.call.refuse(
            "E0401",
            part.span,
            f"axis {index + 1} of the operand is {axis.size.text_with_value()}, not {shown}",
            labels=labels,
            notes=(f"axis {index + 1}: {why_different(axis, Axis(size))}",),
            help=self._other_name(part),
        )

    def _other_name(self, part: WrittenPart) -> str | None:
        if part.name is None:
            return None
        if part.name in self.keywords.sizes or part.name in self.new:
            return None
        return f"`{part.name}` is a size already; if this axis is another one, give it a new name"


def _axes(operand: Typed) -> Axes:
    """The axes of an operand, which a host number has none of."""
    kind = operand.type
    return (kind.axes or ()) if isinstance(kind, TensorType) else ()


def _axes_text(count: int) -> str:
    return "no axes" if count == 0 else "1 axis" if count == 1 else f"{count} axes"


def operands_of(call: OperationCall, given: Sequence[Typed]) -> list[Typed]:
    """The tensors that a pattern operation is given. Reports E0403 for one whose axes aren't known, and what
    `OperationCall.as_operand` does."""
    operands = []
    refused = False
    for node in given:
        try:
            if call.as_operand(node).axes is None:
                call.refuse(
                    "E0403",
                    node.span,
                    f"the pattern of `{call.operation.name}` names each axis, and this value may have any number",
                    help="give the parameter a shape, such as [n D]",
                )
            operands.append(node)
        except Refused:
            refused = True
    if refused:
        raise Refused
    return operands
