"""Where functions are undefined: `log` of 0, a division by 0, `sqrt` of a negative number."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.typed.tree import CallExtern
from shapescript_check.types.domains import RANGES, Semantic
from shapescript_check.types.functions import Edge, edge
from shapescript_check.types.intervals import number_text

_EDGED = frozenset({"log", "log1p", "sqrt", "rsqrt", "div", "acos", "asin"})
_UNDEFINED = {
    "log": "at 0 and below",
    "log1p": "at -1 and below",
    "sqrt": "below 0",
    "rsqrt": "at 0 and below",
    "div": "at 0",
    "acos": "outside [-1, 1]",
    "asin": "outside [-1, 1]",
}
_EDGE = {"log1p": -1}
"""Where a function's edge is, if not at 0."""


def check_edge(call: OperationCall, function: str, operand: Operand) -> None:
    """Reports W0501 or E0506 for values that reach, or are past, where a function is defined."""
    if function not in _EDGED:
        return
    found = edge(function, operand.domain.interval)
    if found is Edge.NONE:
        return
    interval = operand.domain.interval
    what = "the divisor" if function == "div" else f"the argument of `{function}`"
    name = "/" if function == "div" else function
    if found is Edge.OUTSIDE:
        where = number_text(interval.lo) if interval.is_point else f"in {interval}"
        call.warn(
            "E0506",
            operand.node.span,
            f"{what} is {where}, and `{name}` is undefined {_UNDEFINED[function]}",
            help=_claim(call, function, operand),
        )
        return
    call.warn(
        "W0501",
        operand.node.span,
        f"{what} is in {interval}, so it can be {_EDGE.get(function, 0)}, where `{name}` is undefined",
        help=_alternative(call, function, operand),
    )


def _claim(call: OperationCall, function: str, operand: Operand) -> str | None:
    """The narrower domain to claim, where some of the values are inside it."""
    domain = {"log": "Pos", "rsqrt": "Pos", "sqrt": "NonNeg"}.get(function)
    if domain is None or not operand.domain.interval.intersects(RANGES[domain].interval):
        return None
    text = quoting.operand(call.context.text(operand.node.span))
    return f"if its values are always {domain}, say so: {text} as {domain}"


def _alternative(call: OperationCall, function: str, operand: Operand) -> str:
    node = operand.node
    text = call.context.text(node.span)
    if function == "log" and isinstance(node, CallExtern) and node.math == "sigmoid":
        inner = node.arguments[0][1]
        return f"write log_sigmoid({call.context.text(inner.span)}), which is stable"
    if function == "log" and isinstance(operand.domain, Semantic) and operand.domain.kind == "Prob":
        return "write log_softmax of the logits instead, which is stable"
    if function == "log1p":
        return "if it is always above -1, claim a domain that says so, as in domain AboveMinusOne = (-1, inf)"
    return f"if it is always above 0, say so: {quoting.operand(text)} as Pos"
