"""`masked_fill(x, mask, value)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.broadcasting import LinedUp, match_names, pair_up
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.choosing import check_same_kind, mask_operand
from shapescript_check.operations.families.elementwise import Elementwise, as_range, check_number_fits
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Stored
from shapescript_check.typed.tree import Apply
from shapescript_check.types import intervals
from shapescript_check.types.axes import Axes, shape_text
from shapescript_check.types.domains import ADDITIVE, BINARY, Domain, IndexOf, Semantic, is_mask
from shapescript_check.types.dtypes import DType, promote
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    import ast

_MINUS_INFINITY = Interval.point(float("-inf"))
_FILLS: dict[Domain, tuple[Interval, ...]] = {
    ADDITIVE: (Interval.ZERO, _MINUS_INFINITY),
    BINARY: (Interval.ZERO, Interval.ONE),
}
"""The values that leave a discrete domain as it is."""


class MaskedFill(Elementwise):
    """One number in place of some elements; the result has x's axes and dtype."""

    def read_operands(self, call: OperationCall) -> list[Operand]:
        x, mask, value = call.operand("x"), mask_operand(call, "mask"), call.operand("value")
        check_same_kind(call, x, value)
        if value.axes != ():
            call.refuse(
                "E0403",
                value.node.span,
                "`value` of `masked_fill` is a single number",
                label=shape_text(value.axes) or "any shape",
                help="to take values from a tensor where the mask is true, use where(mask, values, x)",
            )
        check_number_fits(call, value, x.dtype)
        _check_dtype(call, x, value)
        return [x, mask, value]

    def line_up(self, call: OperationCall, operands: Sequence[Operand]) -> LinedUp:
        x, mask, _ = operands
        if x.axes is None or mask.axes is None:
            return super().line_up(call, operands)
        if mask.axes and match_names(mask.axes, x.axes) is None:
            _check_adds_nothing(call, x, x.axes, mask, mask.axes)
        axes, kept, placed = pair_up(call, (x.node, x.axes), (mask.node, mask.axes))
        return LinedUp(axes, (kept, placed, ()))

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        x, value = operands[0][0], operands[2][0]
        # In a body for any dtype, integers may meet a number that they can't hold, as they may in `where`.
        return promote((operands[0], operands[2])) if _is_int(x) and not _is_int(value) else x

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        x, _, value = operands
        if is_mask(x) or (isinstance(x, Semantic) and x.kind == "Logit"):
            return x
        if value.interval in _FILLS.get(x, ()):
            return x
        if isinstance(x, IndexOf) and _is_index(value.interval, x):
            return x
        return super().domain((as_range(x), as_range(value)), dtype, detail)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, _, value = (o.type for o in node.operands)
        if (
            isinstance(x, TensorType)
            and x.dtype is None
            and isinstance(value, HostType)
            and value.kind == "float"
        ):
            return python("torch.where(mask, value, x)", **self.parts(node, emit))
        return super().lower(node, emit)

    def part(self, node: Apply, index: int, emit: Emitter) -> ast.expr:
        operand = node.operands[index]
        if index == 0 and emit.is_number(operand):
            return emit.tensor(operand)
        return super().part(node, index, emit)


def _is_int(dtype: DType | None) -> bool:
    return dtype is not None and dtype.is_int


def _is_index(value: Interval, domain: IndexOf) -> bool:
    least = domain.size.lower_bound()
    return value.is_point and value.lo.is_integer() and least is not None and 0 <= value.lo < least


def _check_dtype(call: OperationCall, x: Operand, value: Operand) -> None:
    if x.dtype is None or value.dtype is None or value.dtype.kind != "float" or x.dtype.kind != "int":
        return
    call.refuse(
        "E0502",
        value.node.span,
        f"the tensor is stored as {x.dtype}, which can't hold this number",
        labels=(Label(x.node.span, f"stored as {x.dtype}"),),
        help=f"convert it first: {in_brackets(call, x.node)} to f32",
    )


def _check_adds_nothing(call: OperationCall, x: Operand, axes: Axes, mask: Operand, wide: Axes) -> None:
    """Refuses a mask with an axis that x doesn't have, or of a size that x's would be stretched to."""
    offset = len(axes) - len(wide)
    by_name = match_names(axes, wide) is not None
    added = offset < 0 or by_name
    if not added:
        pairs = zip(axes[offset:], wide, strict=True)
        added = any(a.size.as_int() == 1 and b.size.as_int() != 1 for a, b in pairs)
    if not added:
        return
    call.refuse(
        "E0404",
        mask.node.span,
        f"the mask is {shape_text(wide)}, which has more than {shape_text(axes)} does, and filling adds no axes",
        labels=(Label(x.node.span, shape_text(axes)),),
        help="to line both up, use where(mask, value, x), whose result has the axes of all three",
    )


OPERATION = MaskedFill(
    "masked_fill",
    "fn masked_fill(x: [...], mask: Mask, value: float) -> [...]",
    "x with one number in place of the elements where the mask is true. The mask lines up with x by the names of its "
    "axes and adds none.",
    """\
fn hidden(scores: [b n m], padding: [b m] Mask) -> [b n m] = scores |> masked_fill(padding, -inf)
""",
    transfer=intervals.where,
    template="x.masked_fill(mask, value)",
    operands=("x", "mask", "value"),
    takes_numbers=True,
)
