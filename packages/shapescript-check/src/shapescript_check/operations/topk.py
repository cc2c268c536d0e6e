"""`topk(x, k, over=a)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import as_range
from shapescript_check.operations.families.positions import (
    flows_mixed,
    rank_of,
    refuse_mask,
    type_values,
)
from shapescript_check.operations.families.sizes import size_argument
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import Axis, shape_text
from shapescript_check.types.domains import IndexOf, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import ResultsType, TensorType
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    import ast


class TopK(Operation):
    """The largest values along an axis, and where they are."""

    name = "topk"
    signature = "fn topk(x: [... n], k: int, over: Axis[n]) -> Results"
    doc = (
        "The k largest values along an axis, largest first, and their positions. Equal values come in the order of "
        "their positions and NaN before everything, the same on every device."
    )
    example = """\
dim Experts = 8
dim Active = 2

## How much of a batch each expert gets, when every token goes to its two best.
fn load(scores: [tokens Experts]) -> [Experts]:
    best, chosen = topk(scores, Active, over=Experts)
    return index_add(zeros([Experts]), chosen, softmax(best, over=Active), over=Experts)
"""
    parameters = (X, Parameter("k"), OVER)

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "k")
        x, kind, axes = call.shaped("x")
        if kind.is_mask:
            refuse_mask(call, x)
        at = call.axis(axes)
        k, cut = size_argument(call, "k")
        self._check_size(call, k, cut, axes[at], shape_text(axes), x)
        kept = (*axes[:at], cut, *axes[at + 1 :])
        domain = as_range(kind.domain) if isinstance(kind.domain, Semantic) else kind.domain
        values = TensorType(kept, kind.dtype, domain)
        positions = TensorType(kept, DType.I64, IndexOf(axes[at].size))
        return call.result(ResultsType((values, positions)), (x, k), detail=at)

    def _check_size(self, call: OperationCall, k: Typed, cut: Axis, axis: Axis, shape: str, x: Typed) -> None:
        if cut.size.surely_at_least(0) and not cut.size.surely_at_least(axis.size + 1):
            return
        known = cut.size.as_int()
        if known is not None and known < 0:
            call.refuse("E0415", k.span, f"`topk` can't take {known} values", help="the least is 0")
        if cut.size.surely_at_least(axis.size + 1):
            call.refuse(
                "E0415",
                k.span,
                f"`topk` takes {cut.size.text_with_value()} values of an axis that has {axis.size.text_with_value()}",
                labels=(Label(x.span, shape),),
            )

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (flows_mixed(rank_of(node.operands[0]), node.detail, "topk"), ())

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, k = node.operands
        return python(
            "f(x, k, dim=d)",
            f=emit.runtime("topk_total_order"),
            x=emit.tensor(x),
            k=emit.number_or_tensor(k),
            d=node.detail,
        )


OPERATION = TopK()
