"""`mse_loss(x, y)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import HOST_DTYPES, OperationCall
from shapescript_check.operations.families.joining import Part
from shapescript_check.operations.families.matching import in_any_order
from shapescript_check.operations.families.positions import rank_of, refuse_mask, type_of, type_values
from shapescript_check.operations.flows import OperandFlows, Reduced
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import NONNEG
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.values import HostType, TensorType

if TYPE_CHECKING:
    import ast


class MseLoss(Operation):
    """The mean of squared differences."""

    name = "mse_loss"
    signature = "fn mse_loss(x: [...], y: [...]) -> [] NonNeg"
    doc = (
        "The mean of the squares of x - y. The two have the same axes, in any order of their names, and nothing is "
        "stretched."
    )
    example = """\
dim Knobs = 3

## How far a linear model is from what was measured.
fn misfit(settings: [n Knobs], weights: [Knobs], measured: [n]) -> [] NonNeg:
    return mse_loss(settings @ weights, measured)
"""
    parameters = (X, Parameter("y"))

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "y")
        parts = [Part(*call.shaped(name)) for name in ("x", "y")]
        for part in parts:
            if part.type.is_mask:
                refuse_mask(call, part.node)
        x, y = parts
        positions = in_any_order(call, (x.node, x.axes), (y.node, y.axes))
        dtype = promote((p.type.dtype, Tier.TENSOR) for p in parts)
        if dtype is not None and not dtype.is_float:
            dtype = DType.F32
        alignment = (tuple(range(len(x.axes))), positions)
        return call.result(TensorType((), dtype, NONNEG), (x.node, y.node), alignment=alignment)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return tuple(((Reduced("mean"),),) * rank_of(o) for o in node.operands)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        dtype = type_of(node).dtype
        x, y = (
            self._operand(operand, positions, dtype, emit)
            for operand, positions in zip(node.operands, node.alignment, strict=True)
        )
        return python("torch.nn.functional.mse_loss(x, y)", x=x, y=y)

    def _operand(
        self, node: Typed, positions: tuple[int, ...], dtype: DType | None, emit: Emitter
    ) -> ast.expr:
        if positions == tuple(range(len(positions))):
            x = emit.tensor(node)
        else:
            x = emit.aligned(node, positions, len(positions))
        mine = HOST_DTYPES[node.type.kind] if isinstance(node.type, HostType) else type_of(node).dtype
        return x if dtype is None or mine is dtype else python("x.to(t)", x=x, t=emit.dtype(dtype))


OPERATION = MseLoss()
