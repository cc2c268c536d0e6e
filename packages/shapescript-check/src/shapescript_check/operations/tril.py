"""`tril(x, offset=0)`."""

from __future__ import annotations

from shapescript_check.operations.families.triangles import Triangle

OPERATION = Triangle(
    "tril",
    "fn tril(x: [... n m], offset: int = 0) -> [... n m]",
    "The lower triangle of the last two axes, with zeros (or false) above the diagonal `offset` places up from the "
    "main one.",
    """\
dim Size = 5

## A covariance matrix from its Cholesky factor, whose upper triangle is ignored.
fn covariance(factor: [Size Size]) -> [Size Size]:
    lower = tril(factor)
    return lower @ rearrange(lower, i j -> j i)
""",
)
