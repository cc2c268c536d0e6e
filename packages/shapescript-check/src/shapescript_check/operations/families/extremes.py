"""`maximum` and `minimum` of two values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shapescript_check.operations.broadcasting import LinedUp
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise, check_number_fits
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.typed.tree import Apply
from shapescript_check.types.domains import BINARY
from shapescript_check.types.dtypes import DType

if TYPE_CHECKING:
    import ast


class Extreme(Elementwise):
    """The larger or the smaller of two values. `bound` is the argument of torch.clamp that does it for a number:
    torch.maximum itself takes none."""

    def __init__(self, *texts: str, bound: str, **rules: Any) -> None:
        super().__init__(*texts, operands=("x", "y"), keeps=(BINARY,), **rules)
        self.bound = bound

    def detail(
        self, call: OperationCall, operands: Sequence[Operand], lined: LinedUp, dtype: DType | None
    ) -> None:
        for operand in operands:
            check_number_fits(call, operand, dtype)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        numbers = [emit.is_number(o) for o in node.operands]
        if numbers[0] == numbers[1]:
            return super().lower(node, emit)
        number, tensor = (0, 1) if numbers[0] else (1, 0)
        return python(
            f"torch.clamp(x, {self.bound}=y)",
            x=self.part(node, tensor, emit),
            y=emit.number_or_tensor(node.operands[number]),
        )
