"""`triu(x, offset=0)`."""

from __future__ import annotations

from shapescript_check.operations.families.triangles import Triangle

OPERATION = Triangle(
    "triu",
    "fn triu(x: [... n m], offset: int = 0) -> [... n m]",
    "The upper triangle of the last two axes, with zeros (or false) below the diagonal `offset` places up from the "
    "main one.",
    """\
## How many unordered pairs of points are closer than a radius.
fn close_pairs(distances: [n n] NonNeg, radius: float) -> [] i64 = sum(triu(distances < radius, offset=1))
""",
)
