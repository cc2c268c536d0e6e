"""`asin(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types.functions import FUNCTIONS

OPERATION = Elementwise(
    "asin",
    "fn asin(x: Real) -> Real",
    "The angle whose sine is x, in radians from -pi/2 to pi/2. Outside [-1, 1] there is none, and the result is NaN.",
    """\
fn tilt(gravity: [n] Signed) -> [n] = asin(gravity)
""",
    transfer=FUNCTIONS["asin"],
    template="torch.asin(x)",
    floats=True,
    edge="asin",
)
