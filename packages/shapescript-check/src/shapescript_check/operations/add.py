"""`x + y`."""

from __future__ import annotations

from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals
from shapescript_check.types.domains import ADDITIVE, Domain


class Add(Arithmetic):
    """Addition, in which an additive mask leaves logits logits."""

    def keeps_logits(self, other: Domain) -> bool:
        return other == ADDITIVE or super().keeps_logits(other)


OPERATION = Add(
    "add",
    "fn add(x: Real, y: Real) -> Real",
    "The sum of two values, lined up by the names of their axes: what `x + y` computes, for use as a pipe stage.",
    """\
dim Width = 6

fn shifted(rows: [n Width], offset: [Width]) -> [n Width] = rows |> add(offset)
""",
    transfer=intervals.add,
    template="x + y",
    operands=("x", "y"),
    keeps=(ADDITIVE,),
    symbol="+",
    logits=(0, 1),
    mend="to add it to scores, convert it: {0} to Additive",
    mend_masks="to combine masks, write {0} or {1}",
)
