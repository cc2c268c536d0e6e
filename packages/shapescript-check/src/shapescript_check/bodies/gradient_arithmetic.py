"""Arithmetic of gradients: sums and differences of one model's, and products with single numbers."""

from __future__ import annotations

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.typed.tree import Host, Typed
from shapescript_check.types.entities import GradType
from shapescript_check.types.values import HostType, TensorType, ValueType
from shapescript_check.types.wording import GRADIENT_ARITHMETIC
from shapescript_syntax.spans import Span


def type_gradients(checker: BodyChecker, span: Span, op: str, operands: tuple[Typed, ...]) -> Typed:
    """An operator on operands one of which is a gradient."""
    gradients = [o.type for o in operands if isinstance(o.type, GradType)]
    allowed = _allowed(op, [o.type for o in operands])
    if allowed and len({g.model for g in gradients}) > 1:
        first, second = (g.model for g in gradients)
        checker.report(
            "E0904",
            operands[1].span,
            f"this is a gradient of `{second}`, and the other one is of `{first}`",
            notes=("models are matched by name",),
        )
        return checker.unresolved(span)
    if not allowed:
        checker.report(
            "E1108",
            span,
            f"gradients don't have this `{op}`",
            notes=(GRADIENT_ARITHMETIC,),
            help="read its fields to do more, as in g.w",
        )
        return checker.unresolved(span)
    return Host(span, gradients[0], op, operands)


def _allowed(op: str, kinds: list[ValueType]) -> bool:
    if len(kinds) == 1:
        return op == "-"
    left, right = kinds
    both = isinstance(left, GradType) and isinstance(right, GradType)
    if op in "+-":
        return both
    if op == "*":
        return not both and _single(right if isinstance(left, GradType) else left)
    return op == "/" and isinstance(left, GradType) and _single(right)


def _single(kind: ValueType) -> bool:
    """Whether a value is one number."""
    if isinstance(kind, HostType):
        return kind.kind != "bool"
    return isinstance(kind, TensorType) and kind.axes == () and not kind.is_mask
