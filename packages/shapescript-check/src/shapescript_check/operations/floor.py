"""`floor(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Elementwise(
    "floor",
    "fn floor(x: Real) -> Real",
    "The largest whole number that is at most the value. The dtype stays.",
    """\
fn bucket(price: [n] NonNeg, width: float) -> [n] NonNeg = floor(price / 10.0)
""",
    transfer=intervals.floor,
    template="torch.floor(x)",
    keeps=(BINARY,),
)
