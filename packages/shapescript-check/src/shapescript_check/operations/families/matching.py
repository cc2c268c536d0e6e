"""Operands that have to have the same axes: as torch joins and gathers them, nothing is stretched."""

from __future__ import annotations

from collections.abc import Container
from typing import NoReturn

from shapescript_check.operations.broadcasting import Positions, match_names, why_different
from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.lining_up_helps import same_axis
from shapescript_check.typed.tree import Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_syntax.diagnostics import Label

Shaped = tuple[Typed, Axes]
"""An operand and its axes."""


def in_any_order(
    call: OperationCall, operand: Shaped, other: Shaped, expected: Axes | None = None
) -> Positions:
    """Where each axis of `other` stands among those of `operand`: by name where all names are there, and by
    position otherwise.

    Args:
        call: the call, to report E0401, E0403 and E0404 in.
        operand: the operand that decides the order.
        other: the operand that has to have the same axes.
        expected: the axes that `other` has to have, where they are not all of `operand`'s.
    """
    axes = operand[1] if expected is None else expected
    same_count(call, operand, other, axes)
    positions = match_names(other[1], axes)
    if positions is None:
        by_position(call, operand, other, expected=axes)
        return tuple(range(len(axes)))
    for axis, p in zip(other[1], positions, strict=True):
        if not axis.size.same(axes[p].size):
            _refuse_sizes(call, axes[p], axis, operand, other, axes)
    return positions


def by_position(
    call: OperationCall,
    operand: Shaped,
    other: Shaped,
    *,
    expected: Axes | None = None,
    free: Container[int] = (),
) -> Axes:
    """The axes of two operands that line up by position, with the names that either has.

    Args:
        call: the call, to report E0401, E0403 and E0404 in.
        operand: the first of the two.
        other: the one that has to fit it.
        expected: the axes that `other` has to fit, where they are not `operand`'s own.
        free: positions that need not be the same; there the result's axis is `other`'s.
    """
    axes = operand[1] if expected is None else expected
    same_count(call, operand, other, axes)
    result: list[Axis] = []
    for i, (mine, theirs) in enumerate(zip(axes, other[1], strict=True)):
        if i in free:
            result.append(theirs)
            continue
        if mine.name is not None and theirs.name is not None and mine.name != theirs.name:
            _refuse_names(call, mine, theirs, operand, other, axes)
        if not mine.size.same(theirs.size):
            _refuse_sizes(call, mine, theirs, operand, other, axes)
        result.append(mine if theirs.name is None else theirs)
    return tuple(result)


def same_count(call: OperationCall, operand: Shaped, other: Shaped, expected: Axes | None = None) -> None:
    """Refuses operands with different numbers of axes."""
    axes = operand[1] if expected is None else expected
    if len(axes) == len(other[1]):
        return
    call.refuse(
        "E0403",
        other[0].span,
        f"`{call.shown_name}` needs {_axes(len(axes))} here, and this has {len(other[1])}",
        label=shape_text(other[1]),
        labels=_labels(operand),
        notes=_expected_note(operand, axes),
        help="nothing is stretched here: add or drop an axis of size 1 with rearrange",
    )


def _refuse_sizes(
    call: OperationCall, mine: Axis, theirs: Axis, operand: Shaped, other: Shaped, axes: Axes
) -> NoReturn:
    call.refuse(
        "E0401",
        other[0].span,
        f"an axis of this is {theirs.size}, and `{call.shown_name}` needs {mine.size}",
        label=shape_text(other[1]),
        labels=_labels(operand),
        notes=(why_different(theirs, mine), *_expected_note(operand, axes)),
    )


def _refuse_names(
    call: OperationCall, mine: Axis, theirs: Axis, operand: Shaped, other: Shaped, axes: Axes
) -> NoReturn:
    call.refuse(
        "E0404",
        other[0].span,
        f"axis `{theirs.name}` of this meets axis `{mine.name}`: `{call.shown_name}` lines axes up in their order",
        label=shape_text(other[1]),
        labels=_labels(operand),
        notes=_expected_note(operand, axes),
        help=same_axis(call, (mine, theirs), (), other),
    )


def _labels(operand: Shaped) -> tuple[Label, ...]:
    return (Label(operand[0].span, shape_text(operand[1])),)


def _expected_note(operand: Shaped, axes: Axes) -> tuple[str, ...]:
    return () if axes is operand[1] else (f"the axes needed are {shape_text(axes)}",)


def _axes(count: int) -> str:
    return "no axes" if count == 0 else "1 axis" if count == 1 else f"{count} axes"
