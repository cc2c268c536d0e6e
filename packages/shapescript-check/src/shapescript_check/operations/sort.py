"""`sort(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Ordering

OPERATION = Ordering(
    "sort",
    "fn sort(x: [... n], over: Axis[n]) -> [... n]",
    "The values along an axis in ascending order: equal ones keep their order, and NaN is last. For a descending "
    "order, sort the negated values and negate the result.",
    """\
dim Draws = 9

## The median of an odd number of draws.
fn median(samples: [n Draws]) -> [n]:
    ordered = sort(samples, over=Draws)
    return rearrange(ordered, n Draws -> Draws n)[4]
""",
    function="sort_total_order",
    positions=False,
)
