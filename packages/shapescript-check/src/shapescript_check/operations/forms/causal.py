"""`causal[n m]`, the mask of what comes no later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Causal(Operation):
    """`causal[n m]` is true where the index along m is at most the one along n."""

    name = "causal"
    signature = "causal[n m] -> [n m] Mask"
    doc = "A mask that is true where the index along the second axis is at most the one along the first."
    example = """\
fn visible(scores: [n m]) -> [n m] = scores |> masked_fill(!causal[n m], -1.0)
"""

    def check(self, call: OperationCall) -> Typed:
        raise AssertionError("causal is written with brackets, not called")

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return ()

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        return python("x.tril()", x=_all_true(node, emit))

    def lower_complement(self, node: Apply, emit: Emitter) -> ast.expr:
        return python("x.triu(1)", x=_all_true(node, emit))


def _all_true(node: Apply, emit: Emitter) -> ast.expr:
    assert isinstance(node.type, TensorType) and node.type.axes is not None
    rows, columns = (emit.size(a.size) for a in node.type.axes)
    return python("torch.ones(n, m, dtype=torch.bool, device=d)", n=rows, m=columns, d=emit.device())


OPERATION = Causal()
