"""How messages name a value by its type."""

from __future__ import annotations

from shapescript_check.types.entities import ModeType, ScheduleType, SinkType
from shapescript_check.types.values import HostType, TensorType

GRADIENT_ARITHMETIC = "gradients have +, - and norm, and * and / with single numbers"
"""What gradients have, as a note."""


def described(kind: object) -> str:
    """A value of a type, as the end of "and this is": `a tensor, [n D]`, `an int`, `AdamW[Mlp]`."""
    if isinstance(kind, TensorType):
        return f"a tensor, {kind}"
    if isinstance(kind, HostType):
        return "an int" if kind.kind == "int" else f"a {kind.kind}"
    if isinstance(kind, ModeType | SinkType | ScheduleType):
        return f"a {kind}"
    return str(kind)
