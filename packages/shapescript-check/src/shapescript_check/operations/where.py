"""`where(mask, x, y)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.broadcasting import LinedUp
from shapescript_check.operations.call import Operand, OperationCall, Refused
from shapescript_check.operations.families.choosing import check_same_kind, mask_operand
from shapescript_check.operations.families.elementwise import Elementwise, check_number_fits
from shapescript_check.operations.lowering import Emitter, stored_as
from shapescript_check.operations.operation import Stored
from shapescript_check.typed.tree import Apply
from shapescript_check.types import intervals
from shapescript_check.types.domains import Domain, Range, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Where(Elementwise):
    """A choice between two values at each position."""

    def read_operands(self, call: OperationCall) -> list[Operand]:
        x, y = call.operand("x"), call.operand("y")
        try:
            mask = mask_operand(call, "mask")
        except Refused:
            check_same_kind(call, x, y)
            raise
        check_same_kind(call, x, y)
        return [mask, x, y]

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        return super().dtype_of(operands[1:], detail)

    def detail(
        self, call: OperationCall, operands: Sequence[Operand], lined: LinedUp, dtype: DType | None
    ) -> frozenset[int] | None:
        """The positions along which the mask varies; None where any may be one."""
        for operand in operands[1:]:
            check_number_fits(call, operand, dtype)
        axes = operands[0].axes
        if axes is None:
            return None
        return frozenset(p for a, p in zip(axes, lined.alignment[0], strict=True) if a.size.as_int() != 1)

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        _, x, y = operands
        if x == y and not isinstance(x, Range):
            # Parts of two distributions make one only where each is taken whole.
            if not isinstance(x, Semantic) or x.kind == "Logit":
                return x
            if isinstance(detail, frozenset) and x.over not in detail:
                return x
        return super().domain((x, y), dtype, detail)

    def part(self, node: Apply, index: int, emit: Emitter) -> ast.expr:
        operand = node.operands[index]
        if index and emit.is_number(operand):
            # torch.where takes numbers as its values, and only a tensor as its mask.
            return emit.number_or_tensor(operand)
        placed = super().part(node, index, emit)
        kind = node.type
        # Told the dtype: torch.vmap takes a [] of each element for a tensor with axes, which would decide it.
        return (
            stored_as(placed, operand, kind.dtype, emit) if index and isinstance(kind, TensorType) else placed
        )


OPERATION = Where(
    "where",
    "fn where(mask: Mask, x: Real, y: Real) -> Real",
    "x where the mask is true, and y elsewhere; all three are lined up by the names of their axes.",
    """\
fn filled(readings: [n hour], known: [n hour] Mask, usual: [hour]) -> [n hour] = where(known, readings, usual)
""",
    transfer=intervals.where,
    template="torch.where(mask, x, y)",
    operands=("mask", "x", "y"),
)
