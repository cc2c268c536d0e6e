"""Sizes of parts and entries, as generated Python reads them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from shapescript_check.operations.families.patterns.groups import product_of
from shapescript_check.operations.families.patterns.plan import Key, Part
from shapescript_check.operations.lowering import Emitter, constant, python
from shapescript_check.sizes import Size, SymbolKind
from shapescript_check.typed.tree import Typed

Axis = tuple[Part, ...]
"""The parts that one axis of a tensor is made of; none for an axis that is a 1."""


class SizeReader:
    """Writes sizes for one operation, and remembers whether its operand's shape is read for them.

    Attributes:
        value: stands for the operand in what is written, until `settle`.
    """

    def __init__(self, emit: Emitter, operand: Typed, runtime: Mapping[Key, Typed]) -> None:
        self.emit = emit
        self.operand = operand
        self._runtime = runtime
        self._written: dict[Key, ast.expr] = {}
        self._whole = emit.tensor(operand)
        self._named = False
        self.is_simple = isinstance(self._whole, ast.Name | ast.Constant)
        self.value: ast.expr = self._whole if self.is_simple else ast.Name("_ss_operand", ast.Load())

    def name(self) -> ast.expr:
        """The operand by a name, which it gets if it has none."""
        self._named = True
        return self.value

    def settle(self, expr: ast.expr) -> ast.expr:
        """What was written with the operand in it: by a name where more than one place reads it."""
        if self.is_simple:
            return expr
        whole = self.emit.once(self._whole) if self._named else self._whole
        settled = _replaced(expr, self.value, whole)
        assert isinstance(settled, ast.expr)
        return settled

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

    def times(self, axis: Axis) -> ast.expr:
        """How often to repeat along a new axis. A difference of sizes may be below 0, which torch would misread."""
        size = self.of(axis)
        if all(p.key in self._runtime or p.size.surely_at_least(0) for p in axis):
            return size
        return python("_ss_rt.pattern_size(n, name)", n=size, name=" ".join(str(p.key) for p in axis))

    def split(self, axes: Sequence[Axis]) -> list[ast.expr]:
        """The sizes of the axes that one is split into. torch works out one of them where it can: not where another
        may be 0."""
        unread = next((i for i, a in enumerate(axes) if self._is_unread(a)), None)
        if unread is None:
            return [self.of(a) for a in axes]
        others = [self.of(a) for i, a in enumerate(axes) if i != unread]
        left_over: ast.expr = constant(-1)
        if not all(self._is_positive(a) for i, a in enumerate(axes) if i != unread):
            with suppress(LookupError):
                left_over = self.of(axes[unread])
        return [*others[:unread], left_over, *others[unread:]]

    def _is_unread(self, axis: Axis) -> bool:
        return any(p.key not in self._runtime and not _is_plain(p.size) for p in axis)

    def _is_positive(self, axis: Axis) -> bool:
        return all(p.key in self._runtime or p.size.as_int() is not None for p in axis)

    def _of_size(self, size: Size) -> ast.expr:
        if _is_plain(size):
            return self.emit.size(size)
        return self.emit.size(size, near=(self.operand, self.name()))

    def _of_runtime(self, key: Key) -> ast.expr:
        if key not in self._written:
            value = self.emit.number_or_tensor(self._runtime[key])
            self._written[key] = self.emit.once(
                python("_ss_rt.pattern_size(n, name)", n=value, name=str(key))
            )
        return self._written[key]


def _replaced(node: Any, old: ast.expr, new: ast.expr) -> Any:
    """The tree with one node of it, wherever it stands, replaced."""
    if node is old:
        return ast.Name(new.id, ast.Load()) if isinstance(new, ast.Name) else new
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            setattr(node, field, _replaced(value, old, new))
        elif isinstance(value, list):
            setattr(node, field, [_replaced(v, old, new) if isinstance(v, ast.AST) else v for v in value])
    return node


def _is_plain(size: Size) -> bool:
    return all(s.kind is not SymbolKind.UNKNOWN for s in size.symbols())
