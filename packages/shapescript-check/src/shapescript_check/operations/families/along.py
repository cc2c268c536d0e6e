"""Operations that keep every axis and work along one of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import Transfer, as_range, bounded, stored_interval
from shapescript_check.operations.families.logits import check_logits
from shapescript_check.operations.families.positions import (
    check_whole_number,
    flows_mixed,
    rank_of,
    refuse_mask,
    type_of,
    type_values,
)
from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import Domain, IndexOf, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Along(Operation):
    """An operation along the axis `over`, whose result has the operand's axes.

    `template` computes it from `x` along `d`, and `mixing` is how positions along the axis depend on each other.
    """

    parameters = (X, OVER)

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, template: str, mixing: str | None = None
    ) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example
        self.template = template
        self.mixing = mixing or name

    def check(self, call: OperationCall) -> Typed:
        node, kind, axes = call.shaped("x")
        at = call.axis(axes)
        self.check_operand(call, node, kind, at)
        return call.result(self.result(kind, at), (node,), detail=at)

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType, at: int) -> None:
        """Refuses operands that the operation can't be applied to."""

    @abstractmethod
    def result(self, kind: TensorType, at: int) -> TensorType:
        """The result's type from the operand's, along the axis at a position."""

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (flows_mixed(rank_of(node.operands[0]), node.detail, self.mixing),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        return python(self.template, x=emit.tensor(node.operands[0]), d=node.detail)


class Cumulative(Along):
    """`cumsum` and `cumprod`, which take integers and masks in i64 as sums do."""

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, transfer: Transfer, template: str
    ) -> None:
        super().__init__(name, signature, doc, example, template=template)
        self.transfer = transfer

    def result(self, kind: TensorType, at: int) -> TensorType:
        dtype = DType.I64 if kind.dtype is not None and not kind.dtype.is_float else kind.dtype
        interval = self.transfer(stored_interval(kind.domain.interval, kind.dtype), dtype=dtype)
        return TensorType(kind.axes, dtype, bounded(interval, dtype))


class Softmax(Along):
    """`softmax` and `log_softmax`: from logits to distributions along an axis."""

    def __init__(self, name: str, signature: str, doc: str, example: str, *, domain: str) -> None:
        super().__init__(name, signature, doc, example, template=f"torch.{name}(x, dim=d)", mixing="softmax")
        self.domain_kind = domain

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType, at: int) -> None:
        check_logits(call, node, kind, at, "softmax applied twice? pass it the logits themselves")

    def result(self, kind: TensorType, at: int) -> TensorType:
        dtype = DType.F32 if kind.dtype is not None and kind.dtype.is_int else kind.dtype
        return TensorType(kind.axes, dtype, Semantic(self.domain_kind, at))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        operand = node.operands[0]
        dtype = type_of(node).dtype
        same = isinstance(operand.type, TensorType) and operand.type.dtype is dtype
        if same or dtype is None:
            return super().lower(node, emit)
        return python(
            f"torch.{self.name}(x, dim=d, dtype=t)",
            x=emit.tensor(operand),
            d=node.detail,
            t=emit.dtype(dtype),
        )


class Ordering(Along):
    """`sort` and `argsort`, whose order the runtime makes the same on every device."""

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, function: str, positions: bool
    ) -> None:
        super().__init__(name, signature, doc, example, template="f(x, dim=d)", mixing="sort")
        self.function = function
        self.positions = positions

    def check_operand(self, call: OperationCall, node: Typed, kind: TensorType, at: int) -> None:
        if kind.is_mask:
            refuse_mask(call, node)

    def result(self, kind: TensorType, at: int) -> TensorType:
        assert kind.axes is not None
        if self.positions:
            return TensorType(kind.axes, DType.I64, IndexOf(kind.axes[at].size))
        return kind.with_domain(_reordered(kind.domain, at))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x = emit.tensor(node.operands[0])
        return python(self.template, f=emit.runtime(self.function), x=x, d=node.detail)


def _reordered(domain: Domain, at: int) -> Domain:
    """The domain of values each of whose lines along an axis is put in an order of its own: a distribution along
    that axis stays one, and one along another axis has its values taken from many."""
    return as_range(domain) if isinstance(domain, Semantic) and domain.over != at else domain


class Movement(Along):
    """`flip` and `roll`, which move whole slices along an axis."""

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, template: str, number: str | None = None
    ) -> None:
        super().__init__(name, signature, doc, example, template=template)
        self.number = number
        self._parameters = (X, Parameter(number), OVER) if number is not None else (X, OVER)

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        return self._parameters

    def check(self, call: OperationCall) -> Typed:
        operands = ("x",) if self.number is None else ("x", self.number)
        type_values(call, *operands)
        node, kind, axes = call.shaped("x")
        at = call.axis(axes)
        if self.number is None:
            return call.result(kind, (node,), detail=at)
        return call.result(kind, (node, check_whole_number(call, self.number)), detail=at)

    def result(self, kind: TensorType, at: int) -> TensorType:
        return kind

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        return (*super().flows(node), *(() for _ in node.operands[1:]))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        parts: dict[str, ast.expr | int] = {"x": emit.tensor(node.operands[0]), "d": node.detail}
        if self.number is not None:
            parts["k"] = emit.number_or_tensor(node.operands[1])
        return python(self.template, **parts)
