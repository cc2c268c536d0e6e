"""`cat(x, y, ..., over=a)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.joining import Part, joined_domain, joined_dtype, parts_of
from shapescript_check.operations.families.matching import by_position
from shapescript_check.operations.families.positions import flows_mixed, rank_of
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python, tuple_of
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axis, position
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Cat(Operation):
    """Tensors one after the other along an axis."""

    name = "cat"
    signature = "fn cat(x: [... n], y: [... m], over: Axis[n]) -> [... n+m]"
    doc = (
        "Puts tensors after each other along an axis, whose sizes add up. Any number of them; their other axes are "
        "the same, in the same order."
    )
    example = """\
dim Width = 8

## A prompt's embeddings in front of a text's.
fn prompted(prompt: [b p Width], text: [b t Width]) -> [b p+t Width] = cat(prompt, text, over=p)
"""
    parameters = (Parameter("tensors", Kind.VALUES), OVER)

    def check(self, call: OperationCall) -> Typed:
        parts = parts_of(call, "tensors")
        at = _axis(call, parts)
        first = parts[0]
        axes = first.axes
        size = axes[at].size if at < len(axes) else None
        for part in parts[1:]:
            axes = by_position(call, (first.node, axes), (part.node, part.axes), free=(at,))
            size = part.axes[at].size if size is None else size + part.axes[at].size
        assert size is not None
        joined = first.axes[at] if len(parts) == 1 else Axis(size)
        axes = (*axes[:at], joined, *axes[at + 1 :])
        dtype = joined_dtype(parts)
        kind = TensorType(axes, dtype, joined_domain(parts, dtype, at))
        return call.result(kind, (p.node for p in parts), detail=at)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return tuple(flows_mixed(rank_of(o), node.detail, "cat") for o in node.operands)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        tensors = tuple_of([emit.tensor(o) for o in node.operands])
        return python("torch.cat(x, dim=d)", x=tensors, d=node.detail)


def _axis(call: OperationCall, parts: Sequence[Part]) -> int:
    """Where the axis is: the first tensor may have no name for it that a later one has."""
    ident = call.axis_name("over", parts[0].axes)
    found = [at for part in parts if (at := position(part.axes, ident.name)) is not None]
    if not found:
        call.no_such_axis(parts[0].axes, ident.name, ident.span)
    return found[0]


OPERATION = Cat()
