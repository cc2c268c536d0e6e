"""`square(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals

OPERATION = Elementwise(
    "square",
    "fn square(x: Real) -> NonNeg",
    "The value times itself.",
    """\
dim Width = 3

fn energy(field: [n Width]) -> [n] NonNeg = square(field) |> sum(over=Width)
""",
    transfer=intervals.square,
    template="torch.square(x)",
)
