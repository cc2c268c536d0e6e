"""Patterns that name an operand's axes in another order than it has them (E0408)."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.patterns.pasting import call_text
from shapescript_check.operations.families.patterns.written import WrittenSide
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, shape_text
from shapescript_syntax.diagnostics import Label


def check_order(call: OperationCall, side: WrittenSide, axes: Axes, operand: Typed) -> None:
    """Reports E0408 for a name at one position that is the name of the operand's axis at another."""
    names = [a.name for a in axes]
    for i, entry in enumerate(side.entries):
        name = entry.parts[0].name if not entry.grouped else None
        if name is None or names[i] == name or name not in names:
            continue
        call.refuse(
            "E0408",
            entry.span,
            f"`{name}` is axis {names.index(name) + 1} of the operand, and the pattern has it as axis {i + 1}",
            label=f"axis {i + 1} is {axes[i]}",
            labels=(Label(operand.span, shape_text(axes)),),
            notes=("a pattern names axes by position, in the operand's own order",),
            help=_mend(call, side, axes, operand),
        )


def _mend(call: OperationCall, side: WrittenSide, axes: Axes, operand: Typed) -> str | None:
    order = _intended(side, axes)
    names = _names(axes)
    if order is None or names is None:
        return None
    actual, reordered = " ".join(names), " ".join(names[i] for i in order)
    first = call_text(call, operand, "rearrange", f"{actual} -> {reordered}")
    return f"its order is {actual}; if the pattern's is meant, reorder it first with {first}"


def _intended(side: WrittenSide, axes: Axes) -> tuple[int, ...] | None:
    """For each entry, the operand's axis that it is meant to be: the one of its name, and what is left in order."""
    places = {a.name: i for i, a in enumerate(axes) if a.name is not None}
    meant = [places.pop(e.parts[0].name or "", None) if not e.grouped else None for e in side.entries]
    rest = iter(sorted(set(range(len(axes))) - {m for m in meant if m is not None}))
    order = tuple(next(rest) if m is None else m for m in meant)
    return order if order != tuple(range(len(axes))) else None


def _names(axes: Axes) -> list[str] | None:
    """How a pattern can call each axis: its name, its number, or a letter; None where two have one name."""
    taken = [a.name for a in axes if a.name is not None]
    if len(set(taken)) < len(taken):
        return None
    letters = (c for c in "ijkpqrstuvw" if c not in taken)
    names = []
    for axis in axes:
        if axis.name is not None:
            names.append(axis.name)
        elif axis.size.is_number and not axis.parts:
            names.append(str(axis.size))
        else:
            letter = next(letters, None)
            if letter is None:
                return None
            names.append(letter)
    return names
