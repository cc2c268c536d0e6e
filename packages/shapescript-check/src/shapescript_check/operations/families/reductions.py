"""Operations that combine the values along one axis, or along all of them, into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations import axis_words
from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import bounded, stored_interval
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.positions import (
    domain_without,
    flows_without,
    rank_of,
    refuse_mask,
    semantic_kept,
    without,
)
from shapescript_check.operations.flows import OperandFlows, Reduced
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER_OPTIONAL, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.axes import named
from shapescript_check.types.domains import MASK, Domain, IndexOf
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast

Transfer = Callable[[Interval, "DType | None", bool], Interval]
"""The elements' interval, the result's dtype, and whether there may be no elements, to the result's interval."""


class Reduction(Operation):
    """A reduction of numbers along one axis, or along every axis where none is named.

    `keeps` has the kinds of domains that the result has too, such as `Logit` over another axis; for others
    `transfer` is the range rule. `whole` is the dtype that integers and masks give, or None for their own.
    `template` computes it from `x` along `d`, one axis or a tuple of them, and `of_all` along every axis.
    """

    parameters = (X, OVER_OPTIONAL)

    def __init__(
        self,
        name: str,
        signature: str,
        doc: str,
        example: str,
        *,
        transfer: Transfer,
        template: str,
        of_all: str,
        of_whole: str = "x",
        whole: DType | None = None,
        keeps: frozenset[str] = frozenset(),
        one_at_a_time: bool = False,
    ) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example
        self.transfer = transfer
        self.template = template
        self.of_all = of_all
        self.of_whole = of_whole
        self.whole = whole
        self.keeps = keeps
        self.one_at_a_time = one_at_a_time

    def check(self, call: OperationCall) -> Typed:
        node, kind, axes = call.shaped("x")
        self.check_operand(call, node, kind)
        over = call.axis(axes) if call.has("over") else None
        gone = tuple(range(len(axes))) if over is None else (over,)
        return call.result(self.reduced(kind, gone), (node,), detail=over)

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType) -> None:
        """Refuses what can't be reduced: masks, unless sums count them."""
        if kind.is_mask and self.whole is not DType.I64:
            refuse_mask(call, node)

    def reduced(self, kind: TensorType, gone: Sequence[int]) -> TensorType:
        """The type of a tensor reduced along the axes at some positions."""
        assert kind.axes is not None
        dtype = kind.dtype
        if self.whole is not None and dtype is not None and not dtype.is_float:
            dtype = self.whole
        empty = any((kind.axes[g].size.lower_bound() or 0) < 1 for g in gone)
        return TensorType(without(kind.axes, gone), dtype, self.reduced_domain(kind, gone, dtype, empty))

    def reduced_domain(
        self, kind: TensorType, gone: Sequence[int], dtype: DType | None, empty: bool
    ) -> Domain:
        """The result's domain. `empty` says that there may be nothing to reduce."""
        domain = domain_without(kind.domain, gone)
        if semantic_kept(domain, self.keeps):
            return domain
        return bounded(self.transfer(stored_interval(domain.interval, kind.dtype), dtype, empty), dtype)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        rank = rank_of(node.operands[0])
        gone = range(rank) if node.detail is None else (node.detail,)
        return (flows_without(rank, gone, Reduced(self.name)),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        operand = node.operands[0]
        x = emit.tensor(operand)
        dtype = operand.type.dtype if isinstance(operand.type, TensorType) else None
        return self.python_of(x, dtype, node.detail, rank_of(operand))

    def python_of(
        self, x: ast.expr, dtype: DType | None, over: int | Sequence[int] | None, rank: int
    ) -> ast.expr:
        """The Python that reduces `x`, of some dtype, along an axis, several, or with None all of its `rank`."""
        if dtype is not None and not dtype.is_float:
            x = python(self.of_whole, x=x)
        if over is None:
            return python(self.of_all, x=x, d=tuple(range(rank)))
        if self.one_at_a_time and not isinstance(over, int):
            for axis in sorted(over, reverse=True):
                x = python(self.template, x=x, d=axis)
            return x
        return python(self.template, x=x, d=over)


class MaskReduction(Reduction):
    """`any` and `all`, of masks."""

    def __init__(self, name: str, signature: str, doc: str, example: str) -> None:
        super().__init__(
            name,
            signature,
            doc,
            example,
            transfer=lambda x, dtype, empty: x,
            template=f"x.{name}(dim=d)",
            of_all=f"x.{name}()",
        )

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType) -> None:
        if not kind.is_mask:
            call.refuse(
                "E0501",
                node.span,
                f"`{self.name}` takes a Mask, and this is {kind}",
                label="holds numbers",
                help=f"compare it: {in_brackets(call, node)} != 0",
            )

    def reduced_domain(
        self, kind: TensorType, gone: Sequence[int], dtype: DType | None, empty: bool
    ) -> Domain:
        return MASK


class ExtremeReduction(Reduction):
    """`max` and `min`: one of the values, so what is true of all of them is true of it."""

    def __init__(
        self,
        name: str,
        signature: str,
        doc: str,
        example: str,
        *,
        function: str,
        of_masks: str,
        of_two: str,
    ) -> None:
        super().__init__(
            name,
            signature,
            doc,
            example,
            transfer=lambda x, dtype, empty: x,
            template=f"{function}(x, dim=d)",
            of_all=f"{function}(x)",
            keeps=frozenset({"Range", "Logit", "Binary", "Additive", "Index"}),
        )
        self.of_masks = of_masks
        self.of_two = of_two

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType) -> None:
        if kind.is_mask:
            refuse_mask(call, node, f"of a Mask, write {self.of_masks}({call.context.text(node.span)})")


class PositionOfExtreme(Operation):
    """`argmax` and `argmin`: where along an axis the extreme value is."""

    parameters = (X, OVER_OPTIONAL)

    def __init__(self, name: str, signature: str, doc: str, example: str) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example

    def check(self, call: OperationCall) -> Typed:
        node, kind, axes = call.shaped("x")
        if kind.is_mask:
            refuse_mask(call, node)
        if call.has("over"):
            at = call.axis(axes)
        elif len(axes) == 1:
            at = 0
        else:
            choices = named(axes)
            call.refuse(
                "E0406",
                call.callee_span,
                f"`{self.name}` needs the axis to work along, since this has {len(axes) or 'no'} axes",
                help=f"name it: {self.name}({call.context.text(node.span)}, over={choices[-1]})"
                if choices
                else axis_words.any_axis(call.context, axes),
            )
        result = TensorType(without(axes, (at,)), DType.I64, IndexOf(axes[at].size))
        return call.result(result, (node,), detail=at)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (flows_without(rank_of(node.operands[0]), (node.detail,), Reduced(self.name)),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        return python(f"torch.{self.name}(x, dim=d)", x=emit.tensor(node.operands[0]), d=node.detail)


__all__ = ["ExtremeReduction", "MaskReduction", "PositionOfExtreme", "Reduction"]
