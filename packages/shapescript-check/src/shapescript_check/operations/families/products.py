"""Operands of matrix products and of `einsum`: numbers of one dtype."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.types.dtypes import DType
from shapescript_syntax.diagnostics import Label


def refuse_masks(call: OperationCall, operands: Sequence[Operand]) -> None:
    """Reports E0505 for a mask, which has no arithmetic."""
    for operand in operands:
        if operand.is_mask:
            call.refuse(
                "E0505",
                operand.node.span,
                f"`{call.shown_name}` multiplies numbers, and this is a Mask",
                label="holds true and false",
                help=f"for the numbers 0 and 1, convert it: {in_brackets(call, operand.node)} to Binary",
            )


def one_dtype(call: OperationCall, operands: Sequence[Operand]) -> DType | None:
    """The dtype of all operands. Reports E0502 where they differ, since torch promotes none of them."""
    first = operands[0]
    for operand in operands[1:]:
        if operand.dtype is None or first.dtype is None or operand.dtype is first.dtype:
            continue
        call.refuse(
            "E0502",
            operand.node.span,
            f"`{call.shown_name}` needs operands of one dtype, and these are {first.dtype} and {operand.dtype}",
            label=str(operand.dtype),
            labels=(Label(first.node.span, str(first.dtype)),),
            help=f"convert one of them: {in_brackets(call, operand.node)} to {first.dtype}",
        )
    return first.dtype
