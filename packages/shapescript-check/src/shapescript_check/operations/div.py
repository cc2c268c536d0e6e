"""`x / y`."""

from __future__ import annotations

from shapescript_check.operations.families.arithmetic import Arithmetic
from shapescript_check.types import intervals

OPERATION = Arithmetic(
    "div",
    "fn div(x: Real, y: Real) -> Real",
    "The quotient of two values element by element, lined up by the names of their axes: what `x / y` computes, for "
    "use as a pipe stage. Of integers it is a float, as in Python.",
    """\
dim Width = 6

fn standardized(rows: [n Width], spread: [Width] Pos) -> [n Width] = rows |> div(spread)
""",
    transfer=intervals.div,
    template="x / y",
    operands=("x", "y"),
    floats=True,
    edge="div",
    symbol="/",
    logits=(0,),
)
