"""`gather(x, idx, over=a)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import as_range
from shapescript_check.operations.families.indices import emit_index, index_operand
from shapescript_check.operations.families.matching import by_position
from shapescript_check.operations.families.positions import rank_of, type_values
from shapescript_check.operations.flows import Flow, Kept, OperandFlows, Selected, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import Semantic
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Gather(Operation):
    """Values taken along an axis, at positions of their own in every line."""

    name = "gather"
    signature = "fn gather(x: [... n], idx: [... m] Index[n], over: Axis[n]) -> [... m]"
    doc = (
        "Takes values along an axis at the positions in `idx`, which has x's axes but for the size of that one. To "
        "take the same positions everywhere, index instead: x[ids]."
    )
    example = """\
dim Moves = 9

## The values of the moves that were played.
fn played(values: [games Moves], moves: [games] Index[Moves]) -> [games]:
    chosen = gather(values, rearrange(moves, games -> games 1), over=Moves)
    return rearrange(chosen, games 1 -> games)
"""
    parameters = (X, Parameter("idx"), OVER)

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "idx")
        x, kind, axes = call.shaped("x")
        at = call.axis(axes)
        index, index_axes = index_operand(call, "idx", axes[at])
        taken = by_position(call, (x, axes), (index, index_axes), free=(at,))
        # Lines take from places of their own, so that what held along another axis doesn't any more.
        domain = as_range(kind.domain) if isinstance(kind.domain, Semantic) else kind.domain
        return call.result(TensorType(taken, kind.dtype, domain), (x, index), detail=at)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        rank = rank_of(node.operands[0])
        taken: list[tuple[Flow, ...]] = [(Selected(i) if i == node.detail else Kept(i),) for i in range(rank)]
        return (tuple(taken), kept(tuple(range(rank))))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, index = node.operands
        return python(
            "torch.gather(x, dim=d, index=i)", x=emit.tensor(x), i=emit_index(index, emit), d=node.detail
        )


OPERATION = Gather()
