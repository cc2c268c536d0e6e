"""Sizes of parts and entries, as generated Python reads them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from shapescript_check.operations.families.patterns.groups import product_of
from shapescript_check.operations.families.patterns.plan import Key, Part
from shapescript_check.operations.lowering import Emitter, constant, python
from shapescript_check.sizes import Size, SymbolKind
from shapescript_check.typed.tree import Typed

Axis = tuple[Part, ...]
"""The parts that one axis of a tensor is made of; none for an axis that is a 1."""


class SizeReader:
    """Writes sizes for one operation. `operand` is the tensor whose shape may be read."""

    def __init__(self, emit: Emitter, operand: Typed, value: ast.expr, runtime: Mapping[Key, Typed]) -> None:
        self.emit = emit
        self.operand = operand
        self.value = value
        self._runtime = runtime
        self._written: dict[Key, ast.expr] = {}

    def is_plain(self, axis: Axis) -> bool:
        """Whether an axis's size is written without reading a shape."""
        return all(p.key not in self._runtime and _is_plain(p.size) for p in axis)

    def of(self, axis: Axis) -> ast.expr:
        """The size of an axis."""
        plain = [p for p in axis if p.key not in self._runtime]
        factors = [self._of_runtime(p.key) for p in axis if p.key in self._runtime]
        if plain or not factors:
            factors.insert(0, self._of_size(product_of([p.size for p in plain])))
        product = factors[0]
        for factor in factors[1:]:
            product = ast.BinOp(product, ast.Mult(), factor)
        return product

    def split(self, axes: Sequence[Axis]) -> list[ast.expr]:
        """The sizes of the axes that one is split into; one of those that would take reading is left to torch."""
        unread = next((i for i, a in enumerate(axes) if self._is_left_over(a)), None)
        if unread is None:
            unread = next((i for i, a in enumerate(axes) if not self.is_plain(a)), None)
            if unread is not None and any(p.key in self._runtime for p in axes[unread]):
                unread = None
        return [constant(-1) if i == unread else self.of(a) for i, a in enumerate(axes)]

    def _is_left_over(self, axis: Axis) -> bool:
        """Whether an axis's size is what is left of another once a size that only run time knows is taken out."""
        return (
            not self.is_plain(axis) and all(p.key not in self._runtime for p in axis) and bool(self._runtime)
        )

    def _of_size(self, size: Size) -> ast.expr:
        if _is_plain(size):
            return self.emit.size(size)
        self.value = self.emit.once(self.value)
        return self.emit.size(size, near=(self.operand, self.value))

    def _of_runtime(self, key: Key) -> ast.expr:
        if key not in self._written:
            value = self.emit.number_or_tensor(self._runtime[key])
            self._written[key] = self.emit.once(
                python("_ss_rt.pattern_size(n, name)", n=value, name=str(key))
            )
        return self._written[key]


def _is_plain(size: Size) -> bool:
    return all(s.kind is not SymbolKind.UNKNOWN for s in size.symbols())
