"""`tril` and `triu`: the values on one side of a diagonal of the last two axes, and zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import bounded, stored_interval
from shapescript_check.operations.families.positions import check_whole_number, rank_of, type_values
from shapescript_check.operations.flows import OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import shape_text
from shapescript_check.types.domains import Domain, Range, Semantic
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Triangle(Operation):
    """A matrix with everything on one side of a diagonal replaced by 0, or by false in a mask."""

    parameters = (X, Parameter("offset", optional=True))

    def __init__(self, name: str, signature: str, doc: str, example: str) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "offset")
        node, kind, axes = call.shaped("x")
        if len(axes) < 2:
            call.refuse(
                "E0403",
                node.span,
                f"`{self.name}` works on the last two axes, and this has {len(axes) or 'none'}",
                label=shape_text(axes),
            )
        operands = (node, check_whole_number(call, "offset")) if call.has("offset") else (node,)
        return call.result(kind.with_domain(_with_zeros(kind)), operands)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (kept(tuple(range(rank_of(node.operands[0])))), *(() for _ in node.operands[1:]))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x = emit.tensor(node.operands[0])
        if len(node.operands) == 1:
            return python(f"torch.{self.name}(x)", x=x)
        return python(f"torch.{self.name}(x, diagonal=k)", x=x, k=emit.number_or_tensor(node.operands[1]))


def _with_zeros(kind: TensorType) -> Domain:
    """The domain of values some of which become 0: that is a value of every discrete domain."""
    domain = kind.domain
    if not isinstance(domain, Range | Semantic):
        return domain
    if domain.interval.includes(0.0) and isinstance(domain, Range):
        return domain
    return bounded(stored_interval(domain.interval, kind.dtype).hull(Interval.ZERO), kind.dtype)
