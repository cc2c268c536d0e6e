"""The names of one function: its values and its axis names."""

from __future__ import annotations

from dataclasses import dataclass, field

from shapescript_check.sizes import Size
from shapescript_check.types.values import ValueType


@dataclass(slots=True)
class Scope:
    """Values and axis names in scope. A block works on a copy, which the statement after it compares."""

    values: dict[str, ValueType] = field(default_factory=dict)
    axes: dict[str, Size] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(dict(self.values), dict(self.axes))
