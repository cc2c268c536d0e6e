"""`repeat(x, n D -> n k D, k=3)`."""

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
from shapescript_check.operations.families.patterns.plan import Plan, Side
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import TensorType, ValueType

if TYPE_CHECKING:
    import ast


class Repeat(PatternOperation):
    """Copies values along new axes."""

    name = "repeat"
    signature = "fn repeat(x: [...], pattern: Pattern) -> Any"
    doc = (
        "The values of `x` copied along each axis that only the right side has: a number, a dim, an axis in scope, or "
        "a new name with its size given, as in `k=3`. In a group, (n k) copies each value and (k n) the whole."
    )
    example = """\
dim Heads = 6
dim KvHeads = 2
dim Each = Heads / KvHeads

## One head of keys for every head of queries.
fn for_every_query(keys: [b KvHeads n d]) -> [b Heads n d]:
    return repeat(keys, b KvHeads n d -> b (KvHeads Each) n d)
"""

    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        output = OutputReader(binder, inputs, repeats=True).read()
        plan = Plan(inputs, output, runtime_operands(binder, len(operands)))
        refuse_missing(call, binder, inputs, plan.kept)
        kind = call.as_operand(operands[0])
        return moved(TensorType(kind.axes, kind.dtype, kind.domain), inputs[0], output), plan

    @property
    def usage(self) -> str:
        return f"{self.name}(x, n -> n k, k=3)"

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        from shapescript_check.operations.families.patterns.moves import lower_move

        return lower_move(node, emit)


OPERATION = Repeat()
