"""`rearrange(x, b n (h d) -> b h n d)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.patterns.binding import Binder
from shapescript_check.operations.families.patterns.operation import (
    PatternOperation,
    refuse_missing,
    runtime_operands,
)
from shapescript_check.operations.families.patterns.output import OutputReader, moved
from shapescript_check.operations.families.patterns.pasting import call_text
from shapescript_check.operations.families.patterns.plan import Plan, Side
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import TensorType, ValueType

if TYPE_CHECKING:
    import ast


class Rearrange(PatternOperation):
    """Moves, splits and groups axes; no element is lost or copied."""

    name = "rearrange"
    signature = "fn rearrange(x: [...], pattern: Pattern) -> Any"
    doc = (
        "The same elements with their axes in another order, split or grouped. The left side names the axes of `x` as "
        "they are, the right side as they come out; a group such as (h d) is one axis, and `h=8` gives a new name its "
        "size."
    )
    example = """\
dim Side = 6

## Cuts images into square patches, each one row.
fn patches(img: [b 3 Side Side]) -> [b 4 27] = img |> rearrange(b c (i p) (j q) -> b (i j) (p q c), i=2, j=2)
"""

    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        output = OutputReader(
            binder, inputs, mend_new="to repeat the values along a new axis, use repeat"
        ).read()
        plan = Plan(inputs, output, runtime_operands(binder, len(operands)))
        summed = call_text(call, operands[0], "reduce", str(binder.pattern), ", sum")
        refuse_missing(call, binder, inputs, plan.kept, f"to add up along it, write {summed}")
        kind = call.as_operand(operands[0])
        return moved(TensorType(kind.axes, kind.dtype, kind.domain), inputs[0], output), plan

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        from shapescript_check.operations.families.patterns.moves import lower_move

        return lower_move(node, emit)


OPERATION = Rearrange()
