"""`sign(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals

OPERATION = Elementwise(
    "sign",
    "fn sign(x: Real) -> Signed",
    "1 for numbers above 0, -1 below, and 0 for 0.",
    """\
fn direction(slope: [n]) -> [n] Signed = sign(slope)
""",
    transfer=intervals.sign,
    template="torch.sign(x)",
)
