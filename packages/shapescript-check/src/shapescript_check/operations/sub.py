"""`x - y`."""

from __future__ import annotations

from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals

OPERATION = Arithmetic(
    "sub",
    "fn sub(x: Real, y: Real) -> Real",
    "The difference of two values, lined up by the names of their axes: what `x - y` computes, for use as a pipe "
    "stage.",
    """\
dim Pixels = 12

fn centred(images: [n Pixels], average: [Pixels]) -> [n Pixels] = images |> sub(average)
""",
    transfer=intervals.sub,
    template="x - y",
    operands=("x", "y"),
    symbol="-",
    logits=(0, 1),
    mend_masks="for what is in the first mask only, write {0} and !{1}",
)
