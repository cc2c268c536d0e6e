"""Taking a tensor apart into several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.families.patterns.moves import PlanMoves
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply
from shapescript_check.types.values import ResultsType, TensorType

if TYPE_CHECKING:
    import ast


def lower_split(node: Apply, emit: Emitter) -> ast.expr:
    """The Python of a `split`: one expression that gives a tuple of tensors, or for one tensor just that."""
    plan = PlanMoves(node, emit)
    moves = plan.moves
    counted = plan.plan.count
    assert counted is not None
    count = (counted,)
    rest = [piece for piece in plan.pieces if piece != count]
    if rest == plan.wanted and rest == plan.target:
        at = _chunked_axis(plan) if isinstance(node.type, ResultsType) else None
        if at is not None:
            moves.value = python("x.chunk(k, dim=d)", x=moves.value, k=counted.size.as_int(), d=at)
            return moves.written()
        moves.regroup(plan.pieces)
        at = moves.axes.index(count)
    else:
        moves.regroup(plan.pieces)
        plan.finish((count,))
        at = 0
    if isinstance(node.type, TensorType):
        moves.value = python("x.squeeze(d)", x=moves.value, d=at)
    else:
        moves.value = python("x.unbind(d)" if at else "x.unbind()", x=moves.value, d=at)
    return moves.written()


def _chunked_axis(plan: PlanMoves) -> int | None:
    """The axis that is nothing but the results side by side, if the others are axes of the results as they are."""
    count = plan.plan.count
    found = None
    for i, axis in enumerate(plan.source):
        if len(axis) > 1 and axis[0] == count:
            found = i
            whole = axis[1:]
            if whole not in plan.pieces:
                return None
        elif axis not in plan.pieces:
            return None
    return found
