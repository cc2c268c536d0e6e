"""`linear_scan(a, b, over=t)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.broadcasting import line_up
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import number
from shapescript_check.operations.families.flags import flag, is_set
from shapescript_check.operations.families.positions import type_of
from shapescript_check.operations.families.scans import (
    Scan,
    scan_call,
    scanned_flows,
    typed_together,
)
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, stored_as
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import NONNEG, REAL, Domain
from shapescript_check.types.dtypes import DType, promote
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class LinearScan(Operation):
    """A recurrence of numbers."""

    name = "linear_scan"
    signature = "fn linear_scan(a: [...], b: [...], over: Axis[n], reverse: bool = false) -> [...]"
    doc = (
        "The states of the recurrence h[t] = a[t] h[t-1] + b[t] along an axis, starting from 0, so that the first one "
        "is b[0]; `reverse=true` starts from the end. `a` and `b` line up as in arithmetic, and one can be a number. "
        "It takes about log t steps of whole-tensor operations, and its gradient is the same recurrence backwards."
    )
    example = """\
## A leaky average of each channel: every step keeps some of the one before.
fn smoothed(x: [b t c], keep: [c] Unit) -> [b t c] = linear_scan(keep, (1.0 - keep) * x, over=t)
"""
    parameters = (Parameter("a"), Parameter("b"), OVER, flag("reverse"))

    def check(self, call: OperationCall) -> Typed:
        typed_together(call, "a", "b", "reverse")
        operands = number(call, "a"), number(call, "b")
        lined = line_up(call, operands)
        if lined.axes is None:
            call.as_shaped(next(o.node for o in operands if o.axes is None))
        axes = lined.axes or ()
        at = call.axis(axes)
        dtype = promote([(o.dtype, o.tier) for o in operands])
        if dtype is not None and not dtype.is_float:
            dtype = DType.F32
        return call.result(
            TensorType(axes, dtype, _domain(*operands)),
            [o.node for o in operands],
            alignment=lined.alignment,
            detail=Scan(at, is_set(call, "reverse")),
        )

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        result = type_of(node).axes or ()
        return tuple(
            scanned_flows(
                (o.type.axes or ()) if isinstance(o.type, TensorType) else (), p, result, node.detail.axis
            )
            for o, p in zip(node.operands, node.alignment, strict=True)
        )

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        kind = type_of(node)
        operands: list[ast.expr] = []
        for operand, positions in zip(node.operands, node.alignment, strict=True):
            if emit.is_number(operand):
                operands.append(emit.tensor(operand, kind.dtype))
            else:
                placed = emit.aligned(operand, positions, kind.rank)
                operands.append(stored_as(placed, operand, kind.dtype, emit))
        return scan_call(self.name, operands, node, emit)


def _domain(a: Operand, b: Operand) -> Domain:
    """What is never negative stays so; a decay of more than 0 keeps no other sign, as -0.0 may come of it."""
    return NONNEG if a.domain.interval.lo >= 0 and b.domain.interval.lo >= 0 else REAL


OPERATION = LinearScan()
