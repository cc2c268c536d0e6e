"""`stack(x, y, ..., over=k)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.joining import joined_domain, joined_dtype, parts_of
from shapescript_check.operations.families.matching import by_position
from shapescript_check.operations.families.positions import rank_of
from shapescript_check.operations.flows import OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python, tuple_of
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.domains import Domain, Semantic
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Stack(Operation):
    """Tensors of one shape side by side along a new axis."""

    name = "stack"
    signature = "fn stack(x: [...], y: [...], over: Axis[k]) -> [k ...]"
    doc = (
        "Puts tensors of one shape side by side along a new first axis. `over=` names it: a new name, or a dim or an "
        "axis whose size is the number of tensors."
    )
    example = """\
## Three grey pictures as the channels of one.
fn tinted(red: [h w] Unit, green: [h w] Unit, blue: [h w] Unit) -> [3 h w] Unit:
    return stack(red, green, blue, over=channel)
"""
    parameters = (Parameter("tensors", Kind.VALUES), Parameter("over", Kind.AXIS, keyword_only=True))

    def check(self, call: OperationCall) -> Typed:
        parts = parts_of(call, "tensors")
        first = parts[0]
        axes = first.axes
        for part in parts[1:]:
            axes = by_position(call, (first.node, axes), (part.node, part.axes))
        axis = self._new_axis(call, len(parts))
        dtype = joined_dtype(parts)
        # The new axis comes first, so no domain is over it: what all of them are over moves up one.
        domain = joined_domain(parts, dtype, -1)
        kind = TensorType((axis, *axes), dtype, _moved_up(domain))
        return call.result(kind, (p.node for p in parts))

    def _new_axis(self, call: OperationCall, count: int) -> Axis:
        ident = call.axis_name("over")
        size = Size.number(count)
        known = call.context.axis_size(ident.name)
        if known is None:
            call.context.introduce_axis(ident.name, size, ident.span)
            if call.context.axis_size(ident.name) is None:
                raise Refused
            return Axis(size, ident.name)
        if not known.same(size):
            tensors = "1 tensor is" if count == 1 else f"{count} tensors are"
            call.refuse(
                "E0401",
                ident.span,
                f"{tensors} stacked, and `{ident.name}` has {known.text_with_value()}",
                help="a name that isn't in scope yet takes any number of tensors",
            )
        return Axis(known, ident.name)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return tuple(kept(tuple(range(1, rank_of(o) + 1))) for o in node.operands)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        tensors = tuple_of([emit.tensor(o) for o in node.operands])
        return python("torch.stack(x)", x=tensors)


def _moved_up(domain: Domain) -> Domain:
    return Semantic(domain.kind, domain.over + 1) if isinstance(domain, Semantic) else domain


OPERATION = Stack()
