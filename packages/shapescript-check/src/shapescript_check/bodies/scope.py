"""The names of one function: its values and its axis names."""

from __future__ import annotations

from shapescript_check.sizes import Size
from shapescript_check.types.values import ValueType


class Scope:
    """Values and axis names in scope. A block works on a copy, which the statement after it compares."""

    __slots__ = ("axes", "fixed", "values")

    def __init__(
        self,
        values: dict[str, ValueType] | None = None,
        axes: dict[str, Size] | None = None,
        fixed: set[str] | None = None,
    ) -> None:
        self.values: dict[str, ValueType] = values if values is not None else {}
        self.axes: dict[str, Size] = axes if axes is not None else {}
        self.fixed: set[str] = fixed if fixed is not None else set()
        """Models and optimizer state that may be a parameter without `mut`, which the function may not change."""

    def copy(self) -> Scope:
        return Scope(dict(self.values), dict(self.axes), set(self.fixed))
