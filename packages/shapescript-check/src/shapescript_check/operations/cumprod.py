"""`cumprod(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Cumulative
from shapescript_check.types.functions import product

OPERATION = Cumulative(
    "cumprod",
    "fn cumprod(x: [... n], over: Axis[n]) -> [... n]",
    "Running products along an axis: each position has the product of the values up to it and including it. "
    "Integers and masks are multiplied in i64.",
    """\
dim Samples = 24

## How much light is left behind each sample along a ray.
fn transmittance(opacity: [rays Samples] Unit) -> [rays Samples] NonNeg:
    return cumprod(1.0 - opacity, over=Samples)
""",
    transfer=product,
    template="torch.cumprod(x, dim=d)",
)
