"""`argsort(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Ordering

OPERATION = Ordering(
    "argsort",
    "fn argsort(x: [... n], over: Axis[n]) -> [... n] Index[n]",
    "The positions that put the values along an axis in ascending order, equal ones in the order they have.",
    """\
dim Fields = 3

## A table's records from the lowest score to the highest.
fn ranked(records: [n Fields], scores: [n]) -> [n Fields] = records[argsort(scores, over=n)]
""",
    function="argsort_total_order",
    positions=True,
)
