"""What recurrences along an axis share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import Flow, Kept, Mixed, OperandFlows, Stretched
from shapescript_check.operations.lowering import Emitter
from shapescript_check.typed.tree import Apply
from shapescript_check.types.axes import Axes
from shapescript_check.types.values import ErrorType
from shapescript_syntax.records import value

if TYPE_CHECKING:
    import ast

SCAN = "scan"
"""How positions along the axis of a recurrence depend on each other."""


@value
class Scan:
    """Along which axis of the result it runs, whether from the end, and whether up to a factor."""

    axis: int
    reverse: bool
    projective: bool = False


def typed_together(call: OperationCall, *names: str) -> None:
    """Types some arguments, and goes on only if all of them have types."""
    nodes = [call.value(name) for name in names if call.has(name)]
    if any(isinstance(n.type, ErrorType) for n in nodes):
        call.stop()


def scanned_flows(axes: Axes, positions: Sequence[int], result: Axes, at: int) -> OperandFlows:
    """The flows of an operand that is lined up with a result along one axis of which it runs."""
    flows: list[tuple[Flow, ...]] = []
    for axis, p in zip(axes, positions, strict=True):
        if axis.size.as_int() == 1 and result[p].size.as_int() != 1:
            flows.append((Stretched(p),))
        else:
            flows.append((Mixed(p, SCAN) if p == at else Kept(p),))
    return tuple(flows)


def options(node: Apply) -> list[ast.keyword]:
    """The keyword arguments of the runtime's scan, but for those that are as they are by default."""
    import ast

    detail: Scan = node.detail
    given = [ast.keyword("dim", ast.Constant(detail.axis))]
    given += [ast.keyword("reverse", ast.Constant(True))] if detail.reverse else []
    return given + ([ast.keyword("projective", ast.Constant(True))] if detail.projective else [])


def scan_call(function: str, operands: Sequence[ast.expr], node: Apply, emit: Emitter) -> ast.expr:
    """The call of the runtime's scan."""
    import ast

    return ast.Call(emit.runtime(function), list(operands), options(node))
