"""`-x`."""

from __future__ import annotations

from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals

OPERATION = Arithmetic(
    "neg",
    "fn neg(x: Real) -> Real",
    "The value with its sign changed: what `-x` computes, for use as a pipe stage. Negated logits stay logits.",
    """\
dim Width = 4

fn closeness(x: [n Width], y: [n Width]) -> [n] = square(x - y) |> sum(over=Width) |> neg
""",
    transfer=intervals.neg,
    template="-x",
    symbol="-",
    logits=(0,),
    mend="to swap true and false, write !{0}",
)
