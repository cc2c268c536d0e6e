"""`matrix_scan(a, b, over=t)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.broadcasting import pair_up, why_different
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.flags import flag, is_set
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.positions import type_of
from shapescript_check.operations.families.products import one_dtype, refuse_masks
from shapescript_check.operations.families.scans import SCAN, Scan, scan_call, scanned_flows, typed_together
from shapescript_check.operations.flows import Contracted, Flow, Kept, Mixed, OperandFlows
from shapescript_check.operations.lowering import Emitter
from shapescript_check.operations.operation import Derivatives, Operation
from shapescript_check.operations.parameters import OVER, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axes, shape_text
from shapescript_check.types.domains import REAL
from shapescript_check.types.values import TensorType
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    import ast


class MatrixScan(Operation):
    """A recurrence of matrices."""

    name = "matrix_scan"
    signature = (
        "fn matrix_scan(a: [... n n], b: [... n m], over: Axis[t], reverse: bool = false, projective: bool = false) "
        "-> [... n m]"
    )
    doc = (
        "The states of the recurrence h[t] = a[t] @ h[t-1] + b[t] along an axis before the matrices, starting from 0; "
        "`reverse=true` starts from the end. `projective=true` divides each state by the largest magnitude in the "
        "running product of a, for products that would overflow, and has no gradient."
    )
    example = """\
## Positions and speeds of oscillators that are pushed, step by step.
fn motion(step: [2 2], push: [b t 2]) -> [b t 2]:
    states = matrix_scan(rearrange(step, i j -> 1 1 i j), rearrange(push, b t i -> b t i 1), over=t)
    return rearrange(states, b t i 1 -> b t i)
"""
    parameters = (Parameter("a"), Parameter("b"), OVER, flag("reverse"), flag("projective"))

    def check(self, call: OperationCall) -> Typed:
        typed_together(call, "a", "b", "reverse", "projective")
        a, left = self._matrices(call, "a")
        b, right = self._matrices(call, "b")
        refuse_masks(call, (a, b))
        dtype = one_dtype(call, (a, b))
        if dtype is not None and not dtype.is_float:
            call.refuse(
                "E0502",
                a.node.span,
                f"`matrix_scan` takes floats, and this is stored as {dtype}",
                help=f"convert it: {in_brackets(call, a.node)} to f32",
            )
        self._check_matrices(call, (a, left), (b, right))
        batch, mine, theirs = pair_up(call, (a.node, left[:-2]), (b.node, right[:-2]))
        at = call.axis(batch)
        axes = (*batch, *right[-2:])
        rows, columns = len(axes) - 2, len(axes) - 1
        detail = Scan(at, is_set(call, "reverse"), is_set(call, "projective"))
        return call.result(
            TensorType(axes, dtype, REAL),
            (a.node, b.node),
            alignment=((*mine, rows, columns), (*theirs, rows, columns)),
            detail=detail,
        )

    def _matrices(self, call: OperationCall, name: str) -> tuple[Operand, Axes]:
        operand = call.operand(name)
        axes = call.as_shaped(operand.node)[2]
        if len(axes) < 2:
            call.refuse(
                "E0403",
                operand.node.span,
                f"`{name}` of `matrix_scan` is matrices, its last two axes, and this has fewer",
                label=shape_text(axes),
                help="for vectors, add an axis of size 1 with rearrange; for numbers, there is linear_scan",
            )
        return operand, axes

    def _check_matrices(self, call: OperationCall, a: tuple[Operand, Axes], b: tuple[Operand, Axes]) -> None:
        rows, columns = a[1][-2:]
        labels = tuple(Label(o.node.span, shape_text(axes)) for o, axes in (a, b))
        if not rows.size.same(columns.size):
            call.refuse(
                "E0401",
                a[0].node.span,
                f"`a` of `matrix_scan` is square matrices, and these are {rows} by {columns}",
                label=shape_text(a[1]),
                notes=(why_different(rows, columns),),
            )
        if not columns.size.same(b[1][-2].size):
            call.refuse(
                "E0401",
                call.callee_span,
                f"a state of {b[1][-2]} rows can't be multiplied by matrices of {columns} columns",
                labels=labels,
                notes=(why_different(b[1][-2], columns),),
            )

    def derivatives(self, node: Apply) -> Derivatives | None:
        return Derivatives(0, "a projective `matrix_scan`") if node.detail.projective else None

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        result = type_of(node).axes or ()
        rows, columns = len(result) - 2, len(result) - 1
        at = node.detail.axis
        a, b = (type_of(o).axes or () for o in node.operands)
        mine, theirs = node.alignment
        last: OperandFlows = ((Mixed(rows, SCAN),), (Contracted(1, len(b) - 2),))
        columns_of_b: tuple[Flow, ...] = (Kept(columns),)
        return (
            (*scanned_flows(a[:-2], mine[:-2], result, at), *last),
            (*scanned_flows(b[:-2], theirs[:-2], result, at), (Mixed(rows, SCAN),), columns_of_b),
        )

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        rank = type_of(node).rank
        operands = [emit.aligned(o, p, rank) for o, p in zip(node.operands, node.alignment, strict=True)]
        return scan_call(self.name, operands, node, emit)


OPERATION = MatrixScan()
