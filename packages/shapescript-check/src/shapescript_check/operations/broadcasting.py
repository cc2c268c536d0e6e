"""The order rule: how the axes of elementwise operands line up.

By name where one operand's axes all have names that the other has too, and otherwise from the right, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.lining_up_helps import claim_size, same_axis, with_ones
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import value

Positions = tuple[int, ...]
Shaped = tuple[Typed, Axes]


@value
class LinedUp:
    """The result's axes, and for each operand where each of its axes stands in them."""

    axes: Axes | None
    alignment: tuple[Positions, ...]


def line_up(call: OperationCall, operands: Sequence[Operand]) -> LinedUp:
    """Lines up any number of operands, from the left. Reports E0401 or E0404 at the later operand."""
    axes: Axes | None = ()
    first: Operand | None = None
    alignment: list[Positions] = []
    kept: Positions = ()
    for operand in operands:
        if operand.axes is None or axes is None:
            known = [o for o in operands if o.axes]
            if known:
                _refuse_unknown_shape(call, operands, known[0])
            axes = None
            alignment.append(())
            continue
        if not alignment or axes == ():
            axes, kept, placed = operand.axes, (), tuple(range(len(operand.axes)))
            alignment = [() for _ in alignment]
            first = operand if operand.axes else first
        else:
            assert first is not None
            axes, kept, placed = pair_up(call, (first.node, axes), (operand.node, operand.axes))
            alignment = [tuple(kept[p] for p in positions) for positions in alignment]
        alignment.append(placed)
    return LinedUp(axes, tuple(alignment))


def pair_up(call: OperationCall, first: Shaped, second: Shaped) -> tuple[Axes, Positions, Positions]:
    """The axes of two operands together, and where the axes of each stand in them.

    An operand's axes are all that it has, those of all operands before it together, or some of its own.
    """
    left, right = first[1], second[1]
    if not right:
        return left, tuple(range(len(left))), ()
    if not left:
        return right, (), tuple(range(len(right)))
    by_name = match_names(right, left)
    if by_name is not None:
        _same_sizes(call, second, first, by_name)
        return left, tuple(range(len(left))), by_name
    by_name = match_names(left, right)
    if by_name is not None:
        _same_sizes(call, first, second, by_name)
        return right, by_name, tuple(range(len(right)))
    return _from_the_right(call, first, second)


def match_names(axes: Axes, others: Axes) -> Positions | None:
    """For axes that all have names, the position of each in `others`, the i-th of a name with the i-th; None
    where a name is missing there."""
    places: dict[str, list[int]] = {}
    for i, other in enumerate(others):
        if other.name is not None:
            places.setdefault(other.name, []).append(i)
    found = []
    for axis in axes:
        left = places.get(axis.name) if axis.name is not None else None
        if not left:
            return None
        found.append(left.pop(0))
    return tuple(found)


def _same_sizes(call: OperationCall, one: Shaped, other: Shaped, positions: Positions) -> None:
    for axis, p in zip(one[1], positions, strict=True):
        if not axis.size.same(other[1][p].size):
            call.refuse(
                "E0401",
                call.callee_span,
                f"axis `{axis.name}` is {axis.size} in one operand and {other[1][p].size} in the other",
                labels=_labels(one, other),
            )


def _from_the_right(call: OperationCall, first: Shaped, second: Shaped) -> tuple[Axes, Positions, Positions]:
    left, right = first[1], second[1]
    rank = max(len(left), len(right))
    result: list[Axis] = []
    stretched = [False, False]
    for i in range(rank):
        a = left[i - rank + len(left)] if i >= rank - len(left) else None
        b = right[i - rank + len(right)] if i >= rank - len(right) else None
        if a is None or b is None:
            axis = a or b
            assert axis is not None
            result.append(axis)
            stretched[0 if a is None else 1] |= axis.size.as_int() != 1
            continue
        if a.name is not None and b.name is not None and a.name != b.name:
            _refuse_names(call, (a, b), first, second)
        if a.size.same(b.size):
            result.append(a if a.name is not None or b.name is None else b)
        elif a.size.as_int() == 1:
            result.append(b)
            stretched[0] = True
        elif b.size.as_int() == 1:
            result.append(a)
            stretched[1] = True
        else:
            call.refuse(
                "E0401",
                call.callee_span,
                f"axes of size {a.size} and {b.size} meet, counted from the right",
                labels=_labels(first, second),
                notes=(why_different(a, b),),
                help=claim_size(call, (a, b), first, second),
            )
    if all(stretched) and not any(x.name for x in (*left, *right)):
        call.warn(
            "W2601",
            call.callee_span,
            f"both operands are stretched: {shape_text(left)} and {shape_text(right)} give "
            f"{shape_text(tuple(result))}",
            labels=_labels(first, second),
            help="name the axes, as in [n] and [m], to say which ones are the same",
        )
    offset_left, offset_right = rank - len(left), rank - len(right)
    return (
        tuple(result),
        tuple(range(offset_left, rank)),
        tuple(range(offset_right, rank)),
    )


def _labels(first: Shaped, second: Shaped) -> tuple[Label, Label]:
    return Label(first[0].span, shape_text(first[1])), Label(second[0].span, shape_text(second[1]))


def _refuse_names(call: OperationCall, meeting: tuple[Axis, Axis], first: Shaped, second: Shaped) -> None:
    a, b = meeting
    call.refuse(
        "E0404",
        call.callee_span,
        f"axis `{a.name}` meets axis `{b.name}`: {shape_text(first[1])} and {shape_text(second[1])} "
        "line up neither by name nor from the right",
        labels=_labels(first, second),
        help=with_ones(call, first, second)
        or with_ones(call, second, first)
        or same_axis(call, meeting, first[1], second),
    )


def why_different(a: Axis, b: Axis) -> str:
    """A note that says why two sizes aren't equal: known and different, or not known to be equal."""
    verb = "is not" if a.size.differs(b.size) else "is not known to equal"
    shown = (
        a.size.text_with_value() if a.size.as_int() is not None and b.size.as_int() is not None else a.size
    )
    return f"{shown} {verb} {b.size.text_with_value()}"


def _refuse_unknown_shape(call: OperationCall, operands: Sequence[Operand], known: Operand) -> None:
    free = next(o for o in operands if o.axes is None)
    call.refuse(
        "E0401",
        call.callee_span,
        f"a value of any shape can't be lined up with {shape_text(known.axes)}",
        labels=(Label(free.node.span, "any shape"), Label(known.node.span, shape_text(known.axes))),
        help="give the parameter a shape",
    )
