"""`einsum(q, k: b n d, b m d -> b n m)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.patterns.binding import Binder
from shapescript_check.operations.families.patterns.operation import PatternOperation, runtime_operands
from shapescript_check.operations.families.patterns.output import OutputReader
from shapescript_check.operations.families.patterns.plan import Part, Plan, Side, axes_of
from shapescript_check.operations.families.patterns.written import WrittenPattern
from shapescript_check.operations.families.products import one_dtype, refuse_masks
from shapescript_check.operations.flows import Contracted, Flow, Reduced
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import REAL
from shapescript_check.types.values import TensorType, ValueType

if TYPE_CHECKING:
    import ast


class Einsum(PatternOperation):
    """Sums of products."""

    name = "einsum"
    signature = "fn einsum(xs: Any, pattern: Pattern) -> Any"
    doc = (
        "Multiplies tensors along the axes that share a name, and adds up along every name that the right side leaves "
        "out. All have one dtype, and the pattern has names only."
    )
    example = """\
dim Features = 4

## How far each query is along each key.
fn scores(queries: [b n Features], keys: [b m Features]) -> [b n m]:
    return einsum(queries, keys: b n Features, b m Features -> b n m)
"""

    def check_written(self, call: OperationCall, pattern: WrittenPattern) -> None:
        for side in (*pattern.inputs, pattern.output):
            for entry in side.entries:
                if entry.grouped or entry.parts[0].name is None:
                    what = "a group" if entry.grouped else "a number"
                    call.refuse(
                        "E0407",
                        entry.span,
                        f"the pattern of `einsum` has names only, and this is {what}",
                        help="split or group the axis with rearrange, before or after"
                        if entry.grouped
                        else "give the axis a name",
                    )

    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        output = OutputReader(binder, inputs).read()
        numbers = [call.as_operand(node) for node in operands]
        refuse_masks(call, numbers)
        dtype = one_dtype(call, numbers)
        plan = Plan(inputs, output, runtime_operands(binder, len(operands)))
        return TensorType(axes_of(output), dtype, REAL), plan

    @property
    def usage(self) -> str:
        return f"{self.name}(x, y: b n, n -> b)"

    def gone(self, plan: Plan, operand: int, part: Part) -> tuple[Flow, ...]:
        others = [
            Contracted(o, a)
            for o, side in enumerate(plan.inputs)
            for a, entry in enumerate(side)
            if o != operand and entry.single == part.key
        ]
        return tuple(others) or (Reduced("sum"),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        from shapescript_check.operations.families.patterns.contraction import lower_einsum

        return lower_einsum(node, emit)


OPERATION = Einsum()
