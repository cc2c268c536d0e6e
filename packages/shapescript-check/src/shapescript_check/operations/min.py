"""`min(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import ExtremeReduction

OPERATION = ExtremeReduction(
    "min",
    "fn min(x: [... n], over: Axis[n]) -> [...]",
    "The smallest value along an axis, or of all of them without `over=`. `argmin` says where it is, and `minimum` "
    "takes the smaller of two values.",
    """\
dim Depots = 4

## How far each town is from its nearest depot.
fn nearest(distances: [towns Depots] NonNeg) -> [towns] NonNeg = distances |> min(over=Depots)
""",
    function="torch.amin",
    of_masks="all",
    of_two="minimum",
)
