"""`flip(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Movement

OPERATION = Movement(
    "flip",
    "fn flip(x: [... n], over: Axis[n]) -> [... n]",
    "The values in the opposite order along an axis.",
    """\
## A picture and its mirror image, one after the other.
fn mirrored(pictures: [b h w]) -> [2*b h w] = cat(pictures, flip(pictures, over=w), over=b)
""",
    template="torch.flip(x, dims=(d,))",
)
