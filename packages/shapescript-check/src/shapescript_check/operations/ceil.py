"""`ceil(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Elementwise(
    "ceil",
    "fn ceil(x: Real) -> Real",
    "The smallest whole number that is at least the value. The dtype stays.",
    """\
fn pages(lines: [n] NonNeg) -> [n] NonNeg = ceil(lines / 40.0)
""",
    transfer=intervals.ceil,
    template="torch.ceil(x)",
    keeps=(BINARY,),
)
