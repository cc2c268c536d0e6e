"""The output side of a pattern: which of its names and numbers there may be, and the result's type."""

from __future__ import annotations

from typing import NoReturn

from shapescript_check.operations.families.patterns.binding import Binder
from shapescript_check.operations.families.patterns.groups import product_of
from shapescript_check.operations.families.patterns.plan import Entry, Part, Side, axes_of, parts_of
from shapescript_check.operations.families.patterns.written import WrittenEntry, WrittenPart
from shapescript_check.sizes import Size
from shapescript_check.types.domains import Domain, Range, Semantic
from shapescript_check.types.values import TensorType
from shapescript_syntax.suggestions import closest


class OutputReader:
    """Reads the output side, given the bound inputs.

    `repeats` lets it have new names and numbers, along which values repeat; `mend_new` is a help for a name that is new
    where none may be.
    """

    def __init__(
        self, binder: Binder, inputs: tuple[Side, ...], *, repeats: bool = False, mend_new: str | None = None
    ) -> None:
        self.binder = binder
        self.call = binder.call
        self.inputs = inputs
        self.repeats = repeats
        self.mend_new = mend_new
        self.known = {p.key: p for side in inputs for p in parts_of(side)}
        self.numbers = [p for side in inputs for p in parts_of(side) if p.name is None]

    def read(self) -> Side:
        """The output side. Reports E0405, E0407 or, for a repeat, E0409."""
        return tuple(self._entry(entry) for entry in self.binder.pattern.output.entries)

    def _entry(self, written: WrittenEntry) -> Entry:
        parts = tuple(self._part(part) for part in written.parts)
        if not written.grouped:
            return Entry(parts, False, parts[0].size)
        return Entry(parts, True, self._group_size(parts))

    def _group_size(self, parts: tuple[Part, ...]) -> Size:
        # A group that is the input's has the input's size, even where its parts' product isn't known to be that.
        keys = [p.key for p in parts]
        for side in self.inputs:
            for entry in side:
                if entry.grouped and [p.key for p in entry.parts] == keys:
                    return entry.size
        return product_of([p.size for p in parts])

    def _part(self, written: WrittenPart) -> Part:
        if written.name is not None:
            known = self.known.get(written.name)
            return known if known is not None else self._new_name(written)
        for i, number in enumerate(self.numbers):
            if number.size.as_int() == written.number:
                return self.numbers.pop(i)
        if not self.repeats and not written.is_one:
            self.call.refuse(
                "E0407",
                written.span,
                f"no {written.number} is left of `->`, so there is none to its right",
                help=f"to copy the values {written.number} times, use repeat",
            )
        return self.binder.part(written, Size.number(written.number))

    def _new_name(self, written: WrittenPart) -> Part:
        if not self.repeats:
            self._refuse_unknown(written)
        size = self.binder.size_of(written)
        if size is None:
            self.call.refuse(
                "E0409",
                written.span,
                f"nothing says the size of `{written.name}`",
                help=f"say how often to repeat: {written.name}=2",
            )
        return self.binder.part(written, size)

    def _refuse_unknown(self, written: WrittenPart) -> NoReturn:
        names = [key for key in self.known if isinstance(key, str)]
        near = closest(written.name or "", names)
        self.call.refuse(
            "E0405",
            written.span,
            f"`{written.name}` isn't left of `->`",
            notes=(f"the names there are {', '.join(names)}" if names else "there are no names there",),
            help=f"did you mean `{near}`?" if near else self.mend_new,
        )


def carried(domain: Domain, source: Side, output: Side) -> Domain:
    """A domain of a tensor with the axes of `source`, for one whose elements have moved to those of `output`.

    A semantic domain goes where its axis goes, and is just its range where that axis is split, grouped or gone.
    """
    if not isinstance(domain, Semantic):
        return domain
    key = source[domain.over].single
    if key is not None:
        for i, entry in enumerate(output):
            if entry.single == key:
                return Semantic(domain.kind, i)
    return Range(domain.interval)


def moved(kind: TensorType, source: Side, output: Side) -> TensorType:
    """The type of a tensor whose elements have moved."""
    return TensorType(axes_of(output), kind.dtype, carried(kind.domain, source, output))
