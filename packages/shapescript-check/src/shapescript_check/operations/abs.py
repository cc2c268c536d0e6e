"""`abs(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Elementwise(
    "abs",
    "fn abs(x: Real) -> NonNeg",
    "The magnitude: the value without its sign.",
    """\
fn largest_error(guess: [n], truth: [n]) -> [] NonNeg = abs(guess - truth) |> max
""",
    transfer=intervals.abs,
    template="torch.abs(x)",
    keeps=(BINARY,),
)
