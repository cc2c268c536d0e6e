"""Taking a tensor apart into several."""

from __future__ import annotations

import ast

from shapescript_check.operations.families.patterns.moves import PlanMoves
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply


def lower_split(node: Apply, emit: Emitter) -> ast.expr:
    """The Python of a `split`: one expression that gives a tuple of tensors."""
    plan = PlanMoves(node, emit)
    moves = plan.moves
    counted = plan.plan.count
    assert counted is not None
    count = (counted,)
    rest = [piece for piece in plan.pieces if piece is not count and piece != count]
    if rest == plan.wanted and rest == plan.target:
        at = _chunked_axis(plan)
        if at is not None:
            return python("x.chunk(k, dim=d)", x=moves.value, k=counted.size.as_int(), d=at)
        moves.regroup(plan.pieces)
        at = moves.axes.index(count)
        template = "x.unbind(d)" if at else "x.unbind()"
        return python(template, x=moves.value, d=at)
    moves.regroup(plan.pieces)
    plan.finish((count,))
    return python("x.unbind()", x=moves.value)


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
