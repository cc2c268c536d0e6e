"""Reductions of the axes that a pattern leaves out."""

from __future__ import annotations

import ast

from shapescript_check.operations.families.patterns.moves import PlanMoves
from shapescript_check.operations.families.patterns.output import carried
from shapescript_check.operations.families.patterns.plan import Entry, Plan, Side, axes_of, parts_of
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply
from shapescript_check.types.axes import Axis
from shapescript_check.types.values import TensorType


def reduced_type(kind: TensorType, plan: Plan) -> TensorType:
    """The type of the result: what the reduction makes of the axes and parts that are gone, then moved."""
    assert plan.reduction is not None
    pieces: Side = tuple(Entry((p,), False, p.size) for p in parts_of(plan.inputs[0]))
    axes = tuple(Axis(p.size, p.parts[0].name) for p in pieces)
    split = TensorType(axes, kind.dtype, carried(kind.domain, plan.inputs[0], pieces))
    gone = [i for i, p in enumerate(pieces) if p.parts[0].key not in plan.kept and not p.parts[0].is_one]
    reduced = plan.reduction.reduced(split, gone)
    left = tuple(p for i, p in enumerate(pieces) if i not in gone)
    return TensorType(axes_of(plan.output), reduced.dtype, carried(reduced.domain, left, plan.output))


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
        if plan.pieces == plan.wanted:
            moves.regroup(plan.target)
        else:
            moves.regroup(plan.pieces)
            plan.finish()
        if isinstance(kind, TensorType) and isinstance(result, TensorType) and kind.dtype is not result.dtype:
            assert result.dtype is not None
            return python("x.to(t)", x=moves.value, t=emit.dtype(result.dtype))
        return moves.value
    moves.regroup(plan.pieces)
    dtype = kind.dtype if isinstance(kind, TensorType) else None
    rank = len(moves.axes)
    stays = [() if i in gone else a for i, a in enumerate(moves.axes)] == plan.target
    over = None if len(gone) == rank and not stays else gone[0] if len(gone) == 1 else gone
    moves.value = reduction.python_of(moves.value, dtype, over, rank)
    if stays and _keep_axes(moves.value, len(gone) if reduction.one_at_a_time else 1):
        return moves.value
    moves.axes = [a for i, a in enumerate(moves.axes) if i not in gone]
    plan.finish()
    return moves.value


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
