"""`x * s`, for a single number s."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.broadcasting import LinedUp
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals
from shapescript_check.types.axes import shape_text
from shapescript_check.types.domains import BINARY


class Scale(Arithmetic):
    """Multiplication by one number for all elements."""

    def line_up(self, call: OperationCall, operands: Sequence[Operand]) -> LinedUp:
        factor = operands[1]
        if factor.axes:
            call.refuse(
                "E0403",
                factor.node.span,
                "`scale` takes one number for all elements",
                label=shape_text(factor.axes),
                help="to multiply element by element, use mul or *",
            )
        return super().line_up(call, operands)


OPERATION = Scale(
    "scale",
    "fn scale(x: Real, s: []) -> Real",
    "The value times a single number, which is a Python number or a tensor of shape []: what `x * s` computes, for "
    "use as a pipe stage.",
    """\
dim C = 5

fn sharpened(scores: [n C] Logit over C, factor: []) -> [n C] Logit over C = scores |> scale(factor)
""",
    transfer=intervals.mul,
    template="x * s",
    operands=("x", "s"),
    keeps=(BINARY,),
    symbol="*",
    logits=(0, 1),
)
