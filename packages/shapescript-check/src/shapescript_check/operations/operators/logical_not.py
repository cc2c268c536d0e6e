"""`!x`."""

from __future__ import annotations

from shapescript_check.operations.families.comparison import Logic

OPERATION = Logic(
    "!",
    "True where the mask is false.",
    """\
fn padding(kept: [b t] Mask) -> [b t] Mask = !kept
""",
    template="~x",
    host="not x",
    operands=("x",),
)
