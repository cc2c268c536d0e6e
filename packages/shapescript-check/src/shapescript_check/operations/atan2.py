"""`atan2(y, x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types.functions import FUNCTIONS

OPERATION = Elementwise(
    "atan2",
    "fn atan2(y: Real, x: Real) -> Real",
    "The angle of the point (x, y), in radians from -pi to pi, counted from the x axis.",
    """\
fn bearing(north: [n], east: [n]) -> [n] = atan2(east, north)
""",
    transfer=FUNCTIONS["atan2"],
    template="torch.atan2(y, x)",
    operands=("y", "x"),
    floats=True,
)
