"""`acos(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types.functions import FUNCTIONS

OPERATION = Elementwise(
    "acos",
    "fn acos(x: Real) -> NonNeg",
    "The angle whose cosine is x, in radians from 0 to pi. Outside [-1, 1] there is none, and the result is NaN.",
    """\
fn angle(cosine: [n] Signed) -> [n] NonNeg = acos(cosine)
""",
    transfer=FUNCTIONS["acos"],
    template="torch.acos(x)",
    floats=True,
    edge="acos",
)
