"""`scatter(x, idx, src, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.indices import Scatter

OPERATION = Scatter(
    "scatter",
    "fn scatter(x: [... n], idx: [... m] Index[n], src: [... m], over: Axis[n]) -> [... n]",
    "A copy of x with values put along an axis at the positions in `idx`. Where a position comes twice, one of its "
    "values is there, but not always the same one.",
    """\
dim Seats = 12

## Everybody moved to the seat that the plan has for them.
fn seated(people: [rooms Seats], plan: [rooms Seats] Index[Seats]) -> [rooms Seats]:
    return scatter(zeros_like(people), plan, people, over=Seats)
""",
    template="torch.scatter(x, dim=d, index=i, src=v)",
    values="src",
    adds=False,
)
