"""`any(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.reductions import MaskReduction

OPERATION = MaskReduction(
    "any",
    "fn any(x: [... n] Mask, over: Axis[n]) -> [...] Mask",
    "Whether a mask is true anywhere along an axis, or anywhere at all without `over=`.",
    """\
dim Cells = 16

## The rows with a cell that is filled.
fn filled_rows(grid: [rows Cells]) -> [?k Cells] = grid[any(grid != 0, over=Cells)]
""",
)
