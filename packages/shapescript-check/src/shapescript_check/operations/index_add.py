"""`index_add(x, ids, values, over=a)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.indices import (
    added_domain,
    check_one_dtype,
    emit_index,
    index_operand,
    replaced,
)
from shapescript_check.operations.families.joining import Part
from shapescript_check.operations.families.matching import by_position
from shapescript_check.operations.families.positions import rank_of, refuse_mask, type_values
from shapescript_check.operations.flows import Flow, Kept, Mixed, OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class IndexAdd(Operation):
    """Slices added at the places of an axis that ids name."""

    name = "index_add"
    signature = "fn index_add(x: [... n], ids: [m] Index[n], values: [... m], over: Axis[n]) -> [... n]"
    doc = (
        "A copy of x with slices added at the places of an axis that `ids` names; where an id comes twice, both are "
        "added. It is the adjoint of x[ids]: in `values`, the axes of ids, however many, stand where the axis was."
    )
    example = """\
dim Topics = 5

## The mean of the notes about each topic, and 0 for a topic without any.
fn topic_means(notes: [n d], topic: [n] Index[Topics]) -> [Topics d]:
    total = index_add(zeros([Topics d]), topic, notes, over=Topics)
    count = index_add(zeros([Topics]), topic, ones([n]), over=Topics)
    return total / rearrange(maximum(count, 1.0), Topics -> Topics 1)
"""
    parameters = (X, Parameter("ids"), Parameter("values"), OVER)

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "ids", "values")
        x = Part(*call.shaped("x"))
        values = Part(*call.shaped("values"))
        at = call.axis(x.axes)
        ids, id_axes = index_operand(call, "ids", x.axes[at])
        by_position(
            call, (x.node, x.axes), (values.node, values.axes), expected=replaced(x.axes, at, id_axes)
        )
        for part in (x, values):
            if part.type.is_mask:
                refuse_mask(call, part.node)
        check_one_dtype(call, x, values)
        kind = TensorType(x.axes, x.type.dtype, added_domain(x.type, values.type))
        return call.result(kind, (x.node, ids, values.node), detail=at)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        x, ids, values = (rank_of(o) for o in node.operands)
        at: int = node.detail
        into: tuple[Flow, ...] = (Mixed(at, self.name),)
        added: list[tuple[Flow, ...]] = []
        for i in range(values):
            if at <= i < at + ids:
                added.append(into)
            else:
                added.append((Kept(i if i < at else i - ids + 1),))
        return (kept(tuple(range(x))), (into,) * ids, tuple(added))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, ids, values = node.operands
        at: int = node.detail
        count = rank_of(ids)
        index, source = emit_index(ids, emit), emit.tensor(values)
        # torch takes ids of one axis only.
        if count == 0:
            index, source = python("i.reshape(1)", i=index), python("v.unsqueeze(d)", v=source, d=at)
        elif count > 1:
            index = python("i.flatten()", i=index)
            source = python("v.flatten(first, last)", v=source, first=at, last=at + count - 1)
        return python(
            "torch.index_add(x, dim=d, index=i, source=v)", x=emit.tensor(x), d=at, i=index, v=source
        )


OPERATION = IndexAdd()
