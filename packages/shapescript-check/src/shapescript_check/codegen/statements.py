"""Generates statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from shapescript_check.codegen.differentiated import released, track
from shapescript_check.codegen.expressions import ExpressionEmitter
from shapescript_check.codegen.modes import passes_mode
from shapescript_check.codegen.names import python_name
from shapescript_check.codegen.spreading import as_given
from shapescript_check.operations.lowering import python
from shapescript_check.sizes import Size
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.axes import Axis
from shapescript_check.types.entities import DatasetType, RecordType
from shapescript_check.types.values import ResultsType, TensorType, ValueType


class StatementEmitter:
    """Writes the statements of one function's body."""

    def __init__(
        self,
        emit: ExpressionEmitter,
        returns: ValueType | None,
        left_out: dict[int, tuple[str, ...]] | None = None,
    ) -> None:
        self.emit = emit
        self.context = emit.context
        self.returns = returns
        self.left_out = left_out or {}

    def block(self, statements: tuple[typed.Statement, ...]) -> list[ast.stmt]:
        """The Python statements of a block."""
        with self.context.block() as written:
            for statement in statements:
                _RULES[type(statement)](self, statement)
        return written

    def add(self, statement: ast.stmt, node: typed.Statement) -> None:
        self.context.add(statement, self.context.positions.place(getattr(node, "header", node.span)))

    # --- rules ---

    def bind(self, node: typed.BindTo) -> None:
        value = node.value
        if len(node.names) == 1:
            expr = self.emit.tensor(value) if isinstance(value.type, TensorType) else self.emit.value(value)
            self.context.types[node.names[0]] = value.type
            target: ast.expr = ast.Name(python_name(node.names[0]), ast.Store())
        else:
            expr = self.emit.value(value)
            assert isinstance(value.type, ResultsType)
            self.context.types.update(zip(node.names, value.type.items, strict=True))
            target = ast.Tuple([ast.Name(python_name(n), ast.Store()) for n in node.names], ast.Store())
        self.add(ast.Assign([target], expr), node)
        tracked = self.context.differentiated or ()
        for name in node.names:
            if name in tracked:
                self.add(track(name), node)

    def evaluate(self, node: typed.Evaluate) -> None:
        self.add(ast.Expr(self.emit.value(node.value)), node)

    def give_back(self, node: typed.ReturnValue) -> None:
        if node.value is None:
            self.add(ast.Return(None), node)
            return
        declared = self.returns
        if isinstance(declared, TensorType) or (declared is None and isinstance(node.value.type, TensorType)):
            dtype = declared.dtype if isinstance(declared, TensorType) else None
            expr = self.emit.tensor(node.value, dtype)
        else:
            expr = self.emit.value(node.value)
        if id(node) in self.left_out:
            spread = python("_ss_rt.spread(x)", x=expr)
            assert isinstance(spread, ast.Call)
            spread.args += [ast.Name(as_given(n), ast.Load()) for n in self.left_out[id(node)]]
            expr = spread
        self.add(ast.Return(expr if self.context.differentiated is None else released(expr)), node)

    def set_field(self, node: typed.SetField) -> None:
        target = ast.Name(python_name(node.target), ast.Load())
        value = self.emit.value(node.value)
        self.add(ast.Expr(python("_ss_rt.set_field(m, f, v)", m=target, f=node.field, v=value)), node)

    def count(self, node: typed.CountLoop) -> None:
        lo, hi = self.emit.value(node.lo), self.emit.value(node.hi)
        starts_at_zero = isinstance(lo, ast.Constant) and lo.value == 0
        counted = python("range(b)", b=hi) if starts_at_zero else python("range(a, b)", a=lo, b=hi)
        target = python_name(node.name)
        if node.name in _bound_in(node.body) and passes_mode(node.body):
            # The body gives the variable other values, and the paths of draws need the one it starts with.
            target = self.context.temporary()
            start: list[ast.stmt] = [
                ast.Assign([ast.Name(python_name(node.name), ast.Store())], ast.Name(target, ast.Load()))
            ]
        else:
            start = []
        with self.context.modes.loop(target):
            body = start + self.block(node.body)
        self.add(ast.For(ast.Name(target, ast.Store()), counted, body or [ast.Pass()], []), node)

    def each(self, node: typed.EachLoop | typed.BatchLoop) -> None:
        value = node.batches if isinstance(node, typed.BatchLoop) else node.value
        values = self.emit.value(value)
        target: ast.expr = ast.Name(python_name(node.name), ast.Store())
        if isinstance(node, typed.BatchLoop) and isinstance(value.type, DatasetType):
            self.context.types[node.name] = RecordType(value.type.record, (Axis(Size.of(node.axis)),))
        if not passes_mode(node.body):
            body = self.block(node.body)
        else:
            position = self.context.temporary()
            target = ast.Tuple([ast.Name(position, ast.Store()), target], ast.Store())
            values = python("enumerate(x)", x=values)
            with self.context.modes.loop(position):
                body = self.block(node.body)
        self.add(ast.For(target, values, body or [ast.Pass()], []), node)

    def branch(self, node: typed.Branch) -> None:
        condition = self.emit.value(node.condition)
        before = self.context.modes.mark()
        body = self.block(node.body) or [ast.Pass()]
        reached = self.context.modes.go_back(before)
        orelse = self.block(node.orelse) if node.orelse is not None else []
        self.context.modes.merge(reached)
        self.add(ast.If(condition, body, orelse), node)


def _bound_in(statements: tuple[typed.Statement, ...]) -> set[str]:
    """The names that a block binds, at any depth."""
    names: set[str] = set()
    for statement in statements:
        if isinstance(statement, typed.BindTo):
            names.update(statement.names)
        for part in parts_of(statement):
            if isinstance(part, tuple):
                names |= _bound_in(part)
    return names


_RULES: dict[type, Callable[[StatementEmitter, Any], None]] = {
    typed.BindTo: StatementEmitter.bind,
    typed.Evaluate: StatementEmitter.evaluate,
    typed.ReturnValue: StatementEmitter.give_back,
    typed.SetField: StatementEmitter.set_field,
    typed.CountLoop: StatementEmitter.count,
    typed.EachLoop: StatementEmitter.each,
    typed.BatchLoop: StatementEmitter.each,
    typed.Branch: StatementEmitter.branch,
}
