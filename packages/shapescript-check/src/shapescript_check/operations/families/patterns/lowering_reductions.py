"""The Python of a `reduce`."""

from __future__ import annotations

import ast

from shapescript_check.operations.families.patterns.moves import PlanMoves
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply
from shapescript_check.types.values import TensorType


def lower_reduction(node: Apply, emit: Emitter) -> ast.expr:
    """The Python of a `reduce`."""
    plan = PlanMoves(node, emit)
    moves = plan.moves
    kept = plan.plan.kept
    kind, result = node.operands[0].type, node.type
    reduction = plan.plan.reduction
    assert reduction is not None
    gone = [i for i, piece in enumerate(plan.pieces) if piece[0].key not in kept]
    if not gone:
        plan.move()
        if isinstance(kind, TensorType) and isinstance(result, TensorType) and kind.dtype is not result.dtype:
            assert result.dtype is not None
            moves.value = python("x.to(t)", x=moves.value, t=emit.dtype(result.dtype))
        return moves.written()
    moves.regroup(plan.pieces)
    dtype = kind.dtype if isinstance(kind, TensorType) else None
    rank = len(moves.axes)
    stays = [() if i in gone else a for i, a in enumerate(moves.axes)] == plan.target
    over = None if len(gone) == rank and not stays else gone[0] if len(gone) == 1 else gone
    moves.value = reduction.python_of(moves.value, dtype, over, rank)
    if stays and _keep_axes(moves.value, len(gone) if reduction.one_at_a_time else 1):
        return moves.written()
    moves.axes = [a for i, a in enumerate(moves.axes) if i not in gone]
    plan.finish()
    return moves.written()


def _keep_axes(value: ast.expr, calls: int) -> bool:
    """Has a reduction leave axes of size 1, where torch's call can."""
    while calls:
        if not isinstance(value, ast.Call) or not any(k.arg == "dim" for k in value.keywords):
            return False
        value.keywords.append(ast.keyword("keepdim", ast.Constant(True)))
        calls -= 1
        if calls:
            assert isinstance(value.func, ast.Attribute)
            value = value.func.value
    return True
