"""Sizes of the parts of a group, from the size of the axis that it binds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.patterns.plan import ONE
from shapescript_check.operations.families.patterns.written import WrittenEntry
from shapescript_check.sizes import Equation, Failure, FailureKind, Size, Symbol, SymbolKind, solve
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axis, shape_text
from shapescript_check.types.values import TensorType
from shapescript_syntax.diagnostics import Label


class GroupSolver:
    """Works out one group of one side against one axis."""

    def __init__(self, call: OperationCall, entry: WrittenEntry, operand: Typed, axis: int) -> None:
        self.call = call
        self.entry = entry
        self.operand = operand
        self.index = axis

    @property
    def axis(self) -> Axis:
        assert isinstance(self.operand.type, TensorType)
        assert self.operand.type.axes is not None
        return self.operand.type.axes[self.index]

    def solve(self, sizes: Sequence[Size | None], chosen: Sequence[bool]) -> list[Size]:
        """The sizes of all parts.

        Args:
            sizes: the size of each part, None for the ones to solve.
            chosen: whether a part's size is a keyword's that only run time knows; then the part that is left is
                what the axis divides into, which only run time knows either.

        Reports E0401, E0402, E0409 or E0414.
        """
        known = [s for s in sizes if s is not None]
        if len(known) == len(sizes) and product_of(known).same(self.axis.size):
            return known
        remembered = self._from_parts(sizes)
        if remembered is not None:
            return remembered
        variables = [
            Symbol.variable(part.name or "", i) if size is None else None
            for i, (part, size) in enumerate(zip(self.entry.parts, sizes, strict=True))
        ]
        factors = [
            size if size is not None else Size.of(variable)  # type: ignore[arg-type]
            for size, variable in zip(sizes, variables, strict=True)
        ]
        solution = solve([Equation(product_of(factors), self.axis.size)])
        if solution.failures:
            failure = solution.failures[0]
            if failure.kind is FailureKind.INDIVISIBLE and any(chosen):
                return [
                    size if size is not None else self.call.context.fresh_unknown(part.name or "")
                    for part, size in zip(self.entry.parts, sizes, strict=True)
                ]
            self._refuse(failure, factors, variables)
        for variable in variables:
            if variable is not None and variable not in solution.bindings:
                self._refuse_any(variable.name)
        return [
            solution.bindings[variable] if variable is not None else factor
            for factor, variable in zip(factors, variables, strict=True)
        ]

    def _refuse_any(self, name: str) -> NoReturn:
        """Refuses a part that may have any size, as the axis is empty because another part is."""
        self.call.refuse(
            "E0409",
            self.entry.span,
            f"a part of {self.entry} is 0, so nothing says what `{name}` is",
            help=f"give it a size: {name}=1",
        )

    def _from_parts(self, sizes: Sequence[Size | None]) -> list[Size] | None:
        """Where an axis is known to be a group of as many parts, two or more new names are those parts."""
        parts = self.axis.parts
        if sum(s is None for s in sizes) < 2 or len(parts) != len(sizes):
            return None
        if not all(s is None or s.same(p.size) for s, p in zip(sizes, parts, strict=True)):
            return None
        return [p.size for p in parts]

    # --- what is wrong ---

    def _refuse(
        self, failure: Failure, factors: Sequence[Size], variables: Sequence[Symbol | None]
    ) -> NoReturn:
        entry, axis = self.entry, self.axis
        known = [f for f, v in zip(factors, variables, strict=True) if v is None]
        help_text = None
        if failure.kind is FailureKind.MISMATCH:
            message = self._mismatch(factors, failure, any(variables))
        elif failure.kind is FailureKind.INDIVISIBLE:
            left = product_of(known)
            message = f"{entry} can't be {axis.size.text_with_value()}, which {left.text_with_value()} doesn't divide"
            help_text = self._claim(factors, variables)
        elif failure.kind is FailureKind.UNDETERMINED:
            open_names = [p.name or "" for p, v in zip(entry.parts, variables, strict=True) if v is not None]
            listed = f"{', '.join(f'`{n}`' for n in open_names[:-1])} and `{open_names[-1]}`"
            message = (
                f"{listed} are new, and {entry} = {axis.size.text_with_value()} alone doesn't say their sizes"
            )
            help_text = f"give all but one of them a size: {open_names[0]}={self._suggested()}"
        else:
            message = f"a size of {entry} doesn't fit in 128 bits"
        self.call.refuse(
            failure.kind.value,
            entry.span,
            message,
            labels=(Label(self.operand.span, shape_text(self.operand.type.axes)),),  # type: ignore[union-attr]
            notes=(
                f"{entry} is axis {self.index + 1} of the operand, of size {axis.size.text_with_value()}",
            ),
            help=help_text,
        )

    def _claim(self, factors: Sequence[Size], variables: Sequence[Symbol | None]) -> str | None:
        """How to say that a size of the caller's is a multiple."""
        symbols = self.axis.size.value.symbols()
        if symbols and all(s.kind is SymbolKind.GENERIC for s in symbols):
            parts = [
                part.name if variable is not None else str(factor)
                for part, factor, variable in zip(self.entry.parts, factors, variables, strict=True)
            ]
            if any("?" in str(part) for part in parts):
                return None
            return (
                f"if it always does, write the axis as ({' '.join(map(str, parts))}) in the parameter's type"
            )
        return "if its size is known, say so with `as`, which is checked when it runs" if symbols else None

    def _mismatch(self, factors: Sequence[Size], failure: Failure, solving: bool) -> str:
        if solving:
            return f"{self.entry} can't be {self.axis.size.text_with_value()}: {failure.detail}"
        shown = _chain(str(self.entry), factors)
        total = product_of(factors)
        if total.as_int() is not None and self.axis.size.as_int() is not None:
            return f"{shown}, not {self.axis.size.text_with_value()}"
        return f"{shown}, which is not known to equal {self.axis.size.text_with_value()}"

    def _suggested(self) -> int:
        """A number for the help's example: one that divides the axis if it can be seen."""
        whole = self.axis.size.as_int()
        return next((k for k in (8, 4, 3, 2, 5, 7) if whole is not None and whole % k == 0 and k < whole), 8)


def product_of(sizes: Sequence[Size]) -> Size:
    """The product of some sizes."""
    total = ONE
    for size in sizes:
        total = total * size
    return total


def _chain(text: str, factors: Sequence[Size]) -> str:
    """`(p1 p2 c) = 16*16*3 = 768`: a group with its sizes and their product, leaving out what says nothing new."""
    values = [f.as_int() for f in factors]
    total = product_of(factors)
    if total.as_int() is None:
        return f"{text} = {total}"
    written = "*".join(str(v) for v in values) or "1"
    steps = [text, *(s for s in (written, str(total.as_int())) if s != text.strip("()"))]
    return " = ".join(dict.fromkeys(steps))
