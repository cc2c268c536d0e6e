"""What helps operands that don't line up."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.pasting import claimed_shape
from shapescript_check.sizes import Size, SymbolKind
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, Axis, named
from shapescript_check.types.values import TensorType

Shaped = tuple[Typed, Axes]


def claim_size(call: OperationCall, meeting: tuple[Axis, Axis], first: Shaped, second: Shaped) -> str | None:
    """The claim that two sizes are equal after all; None where they surely aren't."""
    a, b = meeting
    if a.size.differs(b.size):
        return None
    if _is_unknown(a.size) and _is_unknown(b.size):
        return (
            "a size that is only known when it runs gets a name in a pattern, as in rearrange(y, k -> k); "
            "with `as`, as in x as [k], another value can be said to have it"
        )
    free = (
        (a, b, first)
        if _is_unknown(a.size) or (not _is_unknown(b.size) and a.size.as_int() is None)
        else None
    )
    mine, known, operand = free or (b, a, second)
    pasted = _with_axis(call, operand, mine, known)
    said = f"say so: {pasted}" if pasted else "say so with `as`"
    return f"if {mine.size} is always {known.size} here, {said}, which is checked when it runs"


def same_axis(call: OperationCall, meeting: tuple[Axis, Axis], first: Axes, second: Shaped) -> str:
    """For two names that may be those of one axis: the two that meet, or the only one that the first lacks and one
    of those that the second lacks."""
    a, b = meeting
    lacking = [x for x in second[1] if x.name is not None and x.name not in named(first)]
    free = [x for x in first if x.name is not None and x.name not in named(second[1])]
    if b.name in named(first) and len(lacking) == 1 and free:
        a, b = free[-1], lacking[0]
    pasted = _with_axis(call, second, b, a)
    if pasted is None or a.size.differs(b.size):
        return f"if `{a.name}` and `{b.name}` are the same axis, rename one with `as` or rearrange"
    return f"if `{a.name}` and `{b.name}` are the same axis, say so: {pasted}"


def with_ones(call: OperationCall, narrow: Shaped, wide: Shaped) -> str | None:
    """For an operand that would line up by name but for axes that have none: axes of size 1 put it in its place."""
    axes = narrow[1]
    if all(axis.name for axis in axes) or not any(axis.name for axis in axes) or not _is_whole(narrow):
        return None
    left, right = list(axes), ""
    for other in reversed(wide[1]):
        if left and _fits(left[-1], other):
            right = f"{_entry(left.pop())} {right}"
        elif left:
            right = f"1 {right}"
    entries = [_entry(axis) for axis in axes]
    if left or None in entries or len(set(entries)) < len(entries):
        return None
    pattern = f"{' '.join(map(str, entries))} -> {right.strip()}"
    text = call.context.text(narrow[0].span)
    return f"axes without names line up from the right: write rearrange({text}, {pattern})"


def _fits(mine: Axis, other: Axis) -> bool:
    if mine.name is not None:
        return mine.name == other.name
    return mine.size.same(other.size) or mine.size.as_int() == 1


def _entry(axis: Axis) -> str | None:
    return axis.name or (str(axis.size) if axis.size.is_number else None)


def _with_axis(call: OperationCall, operand: Shaped, mine: Axis, other: Axis) -> str | None:
    """The `as` that gives an operand another's axis in place of its own."""
    if not _is_whole(operand):
        return None
    return claimed_shape(call, operand[0], tuple(other if axis is mine else axis for axis in operand[1]))


def _is_whole(operand: Shaped) -> bool:
    """Whether axes are all those of one operand, and not some of them, or those of several."""
    kind = operand[0].type
    return isinstance(kind, TensorType) and kind.axes is operand[1]


def _is_unknown(size: Size) -> bool:
    return any(symbol.kind is SymbolKind.UNKNOWN for symbol in size.symbols())
