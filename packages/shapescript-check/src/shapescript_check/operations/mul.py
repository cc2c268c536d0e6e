"""`x * y`."""

from __future__ import annotations

from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Arithmetic(
    "mul",
    "fn mul(x: Real, y: Real) -> Real",
    "The product of two values element by element, lined up by the names of their axes: what `x * y` computes, for "
    "use as a pipe stage.",
    """\
dim Width = 6

fn gated(values: [n Width], gate: [n Width] Unit) -> [n Width] = values |> mul(gate)
""",
    transfer=intervals.mul,
    template="x * y",
    operands=("x", "y"),
    keeps=(BINARY,),
    symbol="*",
    logits=(0, 1),
    mend_masks="to combine masks, write {0} and {1}",
)
