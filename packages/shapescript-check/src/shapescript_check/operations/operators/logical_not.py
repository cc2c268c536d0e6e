"""`!x`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.families.comparison import Logic
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply

if TYPE_CHECKING:
    import ast


class Not(Logic):
    """The opposite of a mask."""

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        (mask,) = node.operands
        complement = mask.operation.lower_complement(mask, emit) if isinstance(mask, Apply) else None
        return super().lower(node, emit) if complement is None else complement


OPERATION = Not(
    "!",
    "True where the mask is false.",
    """\
fn padding(kept: [b t] Mask) -> [b t] Mask = !kept
""",
    template="~x",
    host="not x",
    operands=("x",),
)
