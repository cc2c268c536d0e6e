"""`q, k, v = split(x, b n (3 H Dh) -> b H n Dh)`."""

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
from shapescript_check.operations.families.patterns.plan import Part, Plan, Side, parts_of
from shapescript_check.operations.flows import Flow, Selected
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import ResultsType, TensorType, ValueType

if TYPE_CHECKING:
    import ast

_MOST_RESULTS = 10_000


class Split(PatternOperation):
    """Takes a tensor apart into several."""

    name = "split"
    signature = "fn split(x: [...], pattern: Pattern) -> Any"
    doc = (
        "As many tensors as the number on the left says, each with the axes of the right side: the one number is how "
        "many there are, alone or in a group, and every name on the left is on the right."
    )
    example = """\
dim Hidden = 8

## Lets half of the values through as far as the other half says.
fn gated(x: [n 2*Hidden]) -> [n Hidden]:
    value, gate = split(x, n (2 Hidden) -> n Hidden)
    return value * sigmoid(gate)
"""

    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        count = self._count(call, binder, inputs[0])
        reader = OutputReader(binder, inputs)
        self._check_absent(call, binder, count)
        reader.numbers.clear()
        output = reader.read()
        plan = Plan(inputs, output, runtime_operands(binder, len(operands)), count=count)
        refuse_missing(call, binder, inputs, {*plan.kept, count.key})
        operand = call.as_operand(operands[0])
        item = moved(TensorType(operand.axes, operand.dtype, operand.domain), inputs[0], output)
        results = count.size.as_int() or 0
        return item if results == 1 else ResultsType((item,) * results), plan

    def _count(self, call: OperationCall, binder: Binder, side: Side) -> Part:
        (written,) = binder.pattern.inputs
        numbers = [(p, w) for p, w in zip(parts_of(side), written.parts(), strict=True) if p.name is None]
        if len(numbers) != 1:
            call.refuse(
                "E0407",
                numbers[1][1].span if numbers else written.span,
                f"`split` takes one number on the left, which says how many tensors it gives, and there "
                f"{'is none' if not numbers else f'are {len(numbers)}'}",
                help="as in n (3 d) -> n d, for three tensors" if not numbers else "name the other axes",
            )
        part, where = numbers[0]
        count = part.size.as_int() or 0
        if count > _MOST_RESULTS:
            call.refuse("E0407", where.span, f"`split` gives at most {_MOST_RESULTS} tensors")
        return part

    def _check_absent(self, call: OperationCall, binder: Binder, count: Part) -> None:
        for written in binder.pattern.output.parts():
            if written.name is None and written.number == count.size.as_int():
                call.refuse(
                    "E0407",
                    written.span,
                    f"{written.number} is how many tensors `split` gives, so none of them has an axis of it",
                )

    @property
    def usage(self) -> str:
        return f"{self.name}(x, n (2 d) -> n d)"

    def gone(self, plan: Plan, operand: int, part: Part) -> tuple[Flow, ...]:
        return (Selected(None),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        from shapescript_check.operations.families.patterns.splitting import lower_split

        return lower_split(node, emit)


OPERATION = Split()
