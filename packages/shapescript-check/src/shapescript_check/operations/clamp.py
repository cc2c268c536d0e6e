"""`clamp(x, lo, hi)`."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.broadcasting import LinedUp
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise, check_number_fits, host_parameter
from shapescript_check.types import intervals
from shapescript_check.types.dtypes import DType
from shapescript_syntax.diagnostics import Label


class Clamp(Elementwise):
    """Values moved to the nearer end of an interval that they are outside of."""

    def read(self, call: OperationCall, name: str) -> Operand:
        return super().read(call, name) if name == "x" else host_parameter(call, name)

    def detail(
        self, call: OperationCall, operands: Sequence[Operand], lined: LinedUp, dtype: DType | None
    ) -> None:
        _, lo, hi = operands
        if lo.domain.interval.lo > hi.domain.interval.hi:
            call.refuse(
                "E0406",
                hi.node.span,
                "no number is between these ends of `clamp`: the upper one is below the lower one",
                labels=(Label(lo.node.span, "the lower end"),),
                help="the lower end comes first",
            )
        for end in (lo, hi):
            check_number_fits(call, end, dtype)


OPERATION = Clamp(
    "clamp",
    "fn clamp(x: Real, lo: float, hi: float) -> Real",
    "The value where it is between two numbers, and the nearer of the two elsewhere.",
    """\
fn steered(angle: [n], limit: float) -> [n] Signed = clamp(angle / 45.0, -1.0, 1.0)
""",
    transfer=intervals.clamp,
    template="torch.clamp(x, min=lo, max=hi)",
    operands=("x", "lo", "hi"),
    takes_numbers=True,
)
