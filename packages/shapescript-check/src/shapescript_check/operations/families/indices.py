"""Operations that take or put values at positions given by integer tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.elementwise import bounded, stored_interval
from shapescript_check.operations.families.joining import Part, check_all_masks, joined_domain
from shapescript_check.operations.families.matching import by_position
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.families.positions import (
    flows_mixed,
    rank_of,
    refuse_mask,
    type_values,
)
from shapescript_check.operations.flows import OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import OVER, Parameter, X
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types import intervals
from shapescript_check.types.axes import Axes, Axis
from shapescript_check.types.domains import Domain, IndexOf
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import total
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


def index_operand(call: OperationCall, name: str, axis: Axis) -> tuple[Typed, Axes]:
    """An argument that holds positions along an axis: `Index` of its size, or any integers, unchecked."""
    node, kind, axes = call.as_shaped(call.value(name))
    check_index(call, node, kind, axis)
    return node, axes


def check_index(call: OperationCall, node: Typed, kind: TensorType, axis: Axis) -> None:
    """Refuses what can't be a position along an axis: masks, floats, and indices for an axis of another size."""
    if kind.is_mask:
        call.refuse(
            "E0501",
            node.span,
            f"`{call.shown_name}` takes positions here, and this is a Mask",
            label="holds true and false",
            help="an index in brackets, as in x[mask], takes the values where a mask is true",
        )
    if kind.dtype is not None and not kind.dtype.is_int:
        call.refuse(
            "E0502",
            node.span,
            f"`{call.shown_name}` takes positions here, which are integers, and this is stored as {kind.dtype}",
            help=f"convert it: {in_brackets(call, node)} to i64",
        )
    if isinstance(kind.domain, IndexOf) and not kind.domain.size.same(axis.size):
        call.refuse(
            "E0507",
            node.span,
            f"these are positions below {kind.domain.size.text_with_value()}, and the axis they are for has "
            f"{axis.size.text_with_value()}",
            label=str(kind),
        )


def emit_index(node: Typed, emit: Emitter) -> ast.expr:
    """An operand that holds positions."""
    return as_index(emit.tensor(node), node)


def as_index(x: ast.expr, node: Typed) -> ast.expr:
    """Positions, which are the value of a node, in i64: every operation of torch takes them in that."""
    if isinstance(node.type, TensorType) and node.type.dtype is not DType.I64:
        return python("x.to(torch.int64)", x=x)
    return x


def check_one_dtype(call: OperationCall, x: Part, values: Part) -> None:
    """Refuses values that are stored in another dtype than what they go into, which torch doesn't convert."""
    if x.type.dtype is values.type.dtype or None in (x.type.dtype, values.type.dtype):
        return
    call.refuse(
        "E0502",
        values.node.span,
        f"`{call.shown_name}` needs one dtype: this is {values.type.dtype}, and x is {x.type.dtype}",
        help=f"convert it: {in_brackets(call, values.node)} to {x.type.dtype}",
    )


def added_domain(x: TensorType, values: TensorType) -> Domain:
    """The domain of values to which any number of others are added, or none."""
    more = total(stored_interval(values.domain.interval, values.dtype), x.dtype, empty=True)
    more = more.hull(Interval.ZERO)
    return bounded(intervals.add(stored_interval(x.domain.interval, x.dtype), more, x.dtype), x.dtype)


class Scatter(Operation):
    """`scatter` and `scatter_add`: values put into a tensor at positions along an axis.

    `values` is the last parameter's name, and `adds` says that values add up with what is there.
    """

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, template: str, values: str, adds: bool
    ) -> None:
        self.name = name
        self.signature = signature
        self.doc = doc
        self.example = example
        self.template = template
        self.values = values
        self.adds = adds
        self._parameters = (X, Parameter("idx"), Parameter(values), OVER)

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        return self._parameters

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "x", "idx", self.values)
        x = Part(*call.shaped("x"))
        values = Part(*call.shaped(self.values))
        at = call.axis(x.axes)
        index, index_axes = index_operand(call, "idx", x.axes[at])
        by_position(call, (x.node, x.axes), (index, index_axes), free=(at,))
        by_position(call, (index, index_axes), (values.node, values.axes))
        domain = self._domain(call, x, values)
        result = TensorType(x.axes, x.type.dtype, domain)
        return call.result(result, (x.node, index, values.node), detail=at)

    def _domain(self, call: OperationCall, x: Part, values: Part) -> Domain:
        if self.adds:
            for part in (x, values):
                if part.type.is_mask:
                    refuse_mask(call, part.node)
            check_one_dtype(call, x, values)
            return added_domain(x.type, values.type)
        check_all_masks(call, (x, values))
        check_one_dtype(call, x, values)
        return joined_domain((x, values), x.type.dtype)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        rank = rank_of(node.operands[0])
        put = flows_mixed(rank, node.detail, self.name)
        return (kept(tuple(range(rank))), put, put)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, index, values = node.operands
        return python(
            self.template,
            x=emit.tensor(x),
            i=emit_index(index, emit),
            v=emit.tensor(values),
            d=node.detail,
        )


def replaced(axes: Axes, at: int, by: Sequence[Axis]) -> Axes:
    """The axes with the one at a position replaced by others."""
    return (*axes[:at], *by, *axes[at + 1 :])


__all__ = [
    "Scatter",
    "added_domain",
    "as_index",
    "check_index",
    "check_one_dtype",
    "emit_index",
    "index_operand",
    "replaced",
]
