"""`argmin(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import PositionOfExtreme

OPERATION = PositionOfExtreme(
    "argmin",
    "fn argmin(x: [... n], over: Axis[n]) -> [...] Index[n]",
    "Where along an axis the smallest value is, the first place of several. `over=` may be left out for a value of "
    "one axis.",
    """\
dim Centres = 3

## One assignment of k-means: the centre that each point is nearest to.
fn assign(points: [n d], centres: [Centres d]) -> [n] Index[Centres]:
    gaps = rearrange(points, n d -> n 1 d) - centres
    return gaps |> norm(over=d) |> argmin(over=Centres)
""",
)
