"""`pow(x, p)`."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.broadcasting import LinedUp
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise, bounded, interval_of
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.typed.tree import Apply
from shapescript_check.types.domains import Domain
from shapescript_check.types.dtypes import DType, Tier
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType


class Power(Elementwise):
    """Powers. Of integers they are integers, so a negative exponent needs a float.

    In a function without shapes that may be called with integers, it is the exponent that has to be one.
    """

    def detail(
        self, call: OperationCall, operands: Sequence[Operand], lined: LinedUp, dtype: DType | None
    ) -> None:
        x, p = operands
        negative = p.tier is Tier.NUMBER and p.domain.interval.hi < 0.0
        if dtype is None and negative and p.dtype is not None and p.dtype.is_int:
            whole = call.context.text(p.node.span)
            call.refuse(
                "E0502",
                p.node.span,
                "the function may be given integers, whose powers are integers, so the exponent can't be negative",
                help=f"write {whole}.0, which makes floats of them" if whole[-1:].isdigit() else None,
            )
        if dtype is not None and dtype.kind == "int" and negative:
            call.refuse(
                "E0502",
                p.node.span,
                "powers of integers are integers, so the exponent can't be negative",
                help=f"convert the base: pow({in_brackets(call, x.node)} to f32, {call.context.text(p.node.span)})",
            )

    def on_numbers(self, node: Apply) -> bool:
        # Python's power of a negative number may be complex, and of 0 it may raise.
        x, p = (interval_of(o) for o in node.operands)
        is_float = (
            isinstance(node.type, TensorType) and node.type.dtype is not None and node.type.dtype.is_float
        )
        whole = p.is_point and p.lo >= 0.0 and p.lo.is_integer()
        return whole or (x.lo > 0.0 and (is_float or p.lo >= 0.0))

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        if dtype is not None and dtype.kind == "int" and operands[1].interval.lo < 0.0:
            # torch rounds 1 / x toward 0 here.
            return bounded(Interval.REAL, dtype)
        return super().domain(operands, dtype, detail)


OPERATION = Power(
    "pow",
    "fn pow(x: Real, p: Real) -> Real",
    "x to the power of p, which is a number or a tensor that lines up with x.",
    """\
fn decayed(amount: [n] NonNeg, rate: [n] Unit, steps: [] NonNeg) -> [n] NonNeg = amount * pow(rate, steps)
""",
    transfer=FUNCTIONS["pow"],
    template="torch.pow(x, p)",
    operands=("x", "p"),
    takes_numbers=True,
    host="x ** p",
)
