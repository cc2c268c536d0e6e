"""`round(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Elementwise(
    "round",
    "fn round(x: Real) -> Real",
    "The nearest whole number, and of two that are as near the even one. The dtype stays.",
    """\
dim Levels = 16

fn quantized(signal: [n] Unit) -> [n] Unit = round(signal * Levels) / Levels
""",
    transfer=intervals.round,
    template="torch.round(x)",
    keeps=(BINARY,),
)
