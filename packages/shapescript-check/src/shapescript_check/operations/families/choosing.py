"""What `where` and `masked_fill` share: a mask that chooses, and values of one kind to choose between."""

from __future__ import annotations

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import mask_or_bool
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.types.values import HostType


def mask_operand(call: OperationCall, name: str) -> Operand:
    """The argument that chooses. Reports E0501 for numbers."""
    operand = call.operand(name)
    if not operand.is_mask:
        call.refuse(
            "E0501",
            operand.node.span,
            f"`{name}` of `{call.shown_name}` is a Mask, and this holds numbers",
            help=f"compare it, as in {in_brackets(call, operand.node)} != 0",
        )
    return operand


def check_same_kind(call: OperationCall, x: Operand, y: Operand) -> None:
    """Refuses a Mask beside numbers."""
    if x.is_mask == y.is_mask:
        return
    mask = x if x.is_mask else y
    on_host = isinstance(mask.node.type, HostType)
    call.refuse(
        "E0501",
        mask.node.span,
        f"`{call.shown_name}` can't choose between {mask_or_bool(mask)} and numbers",
        label="holds true and false",
        help=None
        if on_host
        else f"for the numbers 0 and 1, convert it: {in_brackets(call, mask.node)} to Binary",
    )
