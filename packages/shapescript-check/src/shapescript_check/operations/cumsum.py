"""`cumsum(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Cumulative
from shapescript_check.types.functions import cumsum

OPERATION = Cumulative(
    "cumsum",
    "fn cumsum(x: [... n], over: Axis[n]) -> [... n]",
    "Running sums along an axis: each position has the sum of the values up to it and including it. Integers and "
    "masks are added up in i64.",
    """\
## Each token's position among those that are kept, starting at 0.
fn positions(keep: [b n] Mask) -> [b n] i64 = cumsum(keep, over=n) - 1
""",
    transfer=cumsum,
    template="torch.cumsum(x, dim=d)",
)
