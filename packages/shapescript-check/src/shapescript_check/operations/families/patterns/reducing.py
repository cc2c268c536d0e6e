"""The type of what a `reduce` gives."""

from __future__ import annotations

from shapescript_check.operations.families.patterns.output import carried
from shapescript_check.operations.families.patterns.plan import Entry, Plan, Side, axes_of, parts_of
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
