"""Generates expressions: one rule per class of typed node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from shapescript_check.codegen import chains
from shapescript_check.codegen.assertions import lower_assert
from shapescript_check.codegen.context import FunctionContext
from shapescript_check.codegen.differentiated import AGAIN
from shapescript_check.codegen.externs import call_extern
from shapescript_check.codegen.names import python_name, reference
from shapescript_check.codegen.numbers import is_number, number_dtype
from shapescript_check.codegen.positions import put
from shapescript_check.codegen.sizes import size_expression
from shapescript_check.codegen.untold import untold
from shapescript_check.declarations import keys
from shapescript_check.operations.lowering import constant, python
from shapescript_check.sizes import Size
from shapescript_check.typed import tree as typed
from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_check.types.entities import ModeType
from shapescript_check.types.values import TensorType
from shapescript_syntax.spans import Span

OPERATORS: dict[str, ast.operator] = {
    "+": ast.Add(),
    "-": ast.Sub(),
    "*": ast.Mult(),
    "/": ast.Div(),
    "@": ast.MatMult(),
}
COMPARISONS: dict[str, ast.cmpop] = {
    "==": ast.Eq(),
    "!=": ast.NotEq(),
    "<": ast.Lt(),
    "<=": ast.LtE(),
    ">": ast.Gt(),
    ">=": ast.GtE(),
}


class ExpressionEmitter:
    """What lowerings use to generate Python (`operations.lowering.Emitter`), for one function."""

    def __init__(self, context: FunctionContext) -> None:
        self.context = context

    # --- values ---

    def value(self, node: typed.Typed) -> ast.expr:
        """The node's value as it comes: a tensor, or a Python number where it is one."""
        expr = _RULES[type(node)](self, node)
        put(expr, self.context.positions.place(node.span))
        return expr

    number_or_tensor = value

    def is_number(self, node: typed.Typed) -> bool:
        """Whether the node's value is a Python number."""
        return is_number(node)

    def tensor(self, node: typed.Typed, dtype: DType | None = None) -> ast.expr:
        """The node's value as a tensor."""
        if not is_number(node):
            return self.value(node)
        dtype = dtype or number_dtype(node)
        made = python(
            "torch.tensor(x, dtype=t, device=d)", x=self.value(node), t=self.dtype(dtype), d=self.device()
        )
        put(made, self.context.positions.place(node.span))
        return made

    def aligned(self, node: typed.Typed, positions: Sequence[int], rank: int) -> ast.expr:
        """The value with its axes where the result has them."""
        expr = self.value(node)
        if not positions or is_number(node):
            return expr
        return put_axes(expr, tuple(positions), rank, self)

    def once(self, expr: ast.expr) -> ast.expr:
        """A name for an expression that is used more than once."""
        if isinstance(expr, ast.Name | ast.Constant):
            return expr
        name = self.context.temporary()
        self.context.add(ast.Assign([ast.Name(name, ast.Store())], expr), _place_of(expr))
        return ast.Name(name, ast.Load())

    def shared(self, node: typed.Typed) -> ast.expr:
        """The value of a node that several places use, computed once."""
        if isinstance(node, typed.Local):
            return self.value(node)
        name = self.context.shared.get(id(node))
        if name is None:
            named = self.once(self.tensor(node))
            if not isinstance(named, ast.Name):
                return named
            name = self.context.shared[id(node)] = named.id
        return ast.Name(name, ast.Load())

    # --- pieces ---

    def size(self, size: Size, near: tuple[typed.Typed, ast.expr] | None = None) -> ast.expr:
        return size_expression(self.context, size, near)

    def device(self) -> ast.expr:
        return ast.Name("_ss_device", ast.Load())

    def dtype(self, dtype: DType) -> ast.expr:
        return python(f"torch.{dtype.torch_name}")

    def again(self) -> ast.expr:
        if self.context.differentiated is None:
            raise LookupError("a gradient outside a function that takes any")
        return ast.Name(AGAIN, ast.Load())

    def torch(self, name: str) -> ast.expr:
        return python(name)

    def runtime(self, name: str) -> ast.expr:
        return python(f"_ss_rt.{name}")

    def declared(self, name: str) -> ast.expr:
        """The Python class of a model or a record."""
        return reference(name)

    def mode_for(self, mode: typed.Typed, callee: str) -> ast.expr:
        """A mode as it is passed on; one that is a Python value, or Eval, stays as it is."""
        value = self.value(mode)
        draws = isinstance(mode.type, ModeType) and not (
            isinstance(mode, typed.MakeMode) and mode.seed is None
        )
        return self.context.modes.passed(value, callee) if draws else value

    def argument(self, value: typed.Typed, callee: str) -> ast.expr:
        """An argument that is passed as it comes, its path extended if it is a mode."""
        return self.mode_for(value, callee) if isinstance(value.type, ModeType) else self.value(value)

    def where(self, span: Span) -> str:
        """`file.ss:line:column`."""
        return self.context.positions.where(span)


def _place_of(expr: ast.expr) -> tuple[int, int, int, int] | None:
    if not hasattr(expr, "lineno"):
        return None
    return (
        expr.lineno,
        expr.col_offset,
        expr.end_lineno or expr.lineno,
        expr.end_col_offset or expr.col_offset,
    )


def put_axes(expr: ast.expr, positions: tuple[int, ...], rank: int, emit: ExpressionEmitter) -> ast.expr:
    """Permutes axes and adds size-1 axes, so that axis i stands at `positions[i]` when torch broadcasts."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    if order != list(range(len(positions))):
        if order == [1, 0]:
            expr = python("x.mT", x=expr)
        else:
            expr = python("x.permute(order)", x=expr, order=order)
    taken = sorted(positions)
    wanted = list(range(taken[0], rank))
    if taken == wanted:
        return expr
    entries: list[ast.expr] = [
        ast.Slice(None, None, None) if p in taken else ast.Constant(None) for p in wanted
    ]
    while entries and isinstance(entries[-1], ast.Slice):
        entries.pop()
    index = entries[0] if len(entries) == 1 else ast.Tuple(entries, ast.Load())
    return ast.Subscript(expr, index, ast.Load())


# --- rules -------------------------------------------------------------------------------------------------


def _literal(emit: ExpressionEmitter, node: typed.Literal) -> ast.expr:
    return constant(node.value)


def _local(emit: ExpressionEmitter, node: typed.Local) -> ast.expr:
    return ast.Name(python_name(node.name), ast.Load())


def _size_value(emit: ExpressionEmitter, node: typed.SizeValue) -> ast.expr:
    return emit.size(node.size)


def _apply(emit: ExpressionEmitter, node: typed.Apply) -> ast.expr:
    return node.operation.lower(node, emit)


def _host(emit: ExpressionEmitter, node: typed.Host) -> ast.expr:
    operands = [emit.value(o) for o in node.operands]
    if node.op.startswith("to "):
        return python("x.to(t)", x=operands[0], t=emit.dtype(DTYPES[node.op[3:]]))
    if len(operands) == 1:
        op: ast.unaryop = ast.USub() if node.op == "-" else ast.Not()
        return ast.UnaryOp(op, operands[0])
    if node.op in ("and", "or"):
        return ast.BoolOp(ast.And() if node.op == "and" else ast.Or(), operands)
    if node.op in COMPARISONS:
        return ast.Compare(operands[0], [COMPARISONS[node.op]], [operands[1]])
    return ast.BinOp(operands[0], OPERATORS[node.op], operands[1])


def _call_fn(emit: ExpressionEmitter, node: typed.CallFn) -> ast.expr:
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    parameters = emit.context.module.parameters_of(node.name)
    rank = len(node.type.axes or ()) if isinstance(node.type, TensorType) else 0
    for i, (name, value) in enumerate(node.arguments):
        if value is None:
            continue
        wants_tensor = isinstance(parameters[name], TensorType)
        if wants_tensor and node.elementwise and node.elementwise[i]:
            expr = emit.aligned(value, node.elementwise[i], rank)
        else:
            expected = parameters[name]
            dtype = expected.dtype if isinstance(expected, TensorType) else None
            # Where a function is declared doesn't decide what it draws.
            expr = emit.tensor(value, dtype) if wants_tensor else emit.argument(value, keys.plain(node.name))
        if len(arguments) == i:
            arguments.append(expr)
        else:
            keywords.append(ast.keyword(python_name(name), expr))
    for symbol in untold(emit.context.module.interface_of(node.name)):
        size = _told_size(emit, node.bindings.get(symbol))
        if size is not None:
            keywords.append(ast.keyword(python_name(symbol.name), size))
    return ast.Call(reference(node.name), arguments, keywords)


def _told_size(emit: ExpressionEmitter, size: Size | None) -> ast.expr | None:
    """A size that a call knows and the callee can't read from shapes; None where nothing here tells it either."""
    if size is None:
        return None
    if size.name is not None and any(Size.of(s) == size for s in emit.context.untold):
        # Passed on as it was given, if it was.
        return ast.Name(python_name(size.name), ast.Load())
    try:
        return emit.size(size)
    except LookupError:
        return None


def _python_attribute(emit: ExpressionEmitter, node: typed.PythonAttribute) -> ast.expr:
    return ast.Attribute(emit.value(node.value), node.name, ast.Load())


def _python_call(emit: ExpressionEmitter, node: typed.PythonCall) -> ast.expr:
    callee = node.callee.name if isinstance(node.callee, typed.PythonAttribute | typed.Local) else "python"
    arguments = [emit.argument(v, callee) for n, v in node.arguments if n is None]
    keywords = [ast.keyword(n, emit.argument(v, callee)) for n, v in node.arguments if n is not None]
    return ast.Call(emit.value(node.callee), arguments, keywords)


def _python_index(emit: ExpressionEmitter, node: typed.PythonIndex) -> ast.expr:
    items: list[ast.expr] = []
    for index in node.indices:
        if isinstance(index, tuple):
            items.append(ast.Slice(*(emit.value(p) if p is not None else None for p in index)))
        else:
            items.append(emit.value(index))
    subscript = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
    return ast.Subscript(emit.value(node.value), subscript, ast.Load())


def _field_of(emit: ExpressionEmitter, node: typed.FieldOf) -> ast.expr:
    return ast.Attribute(emit.value(node.value), node.name, ast.Load())


def _make_model(emit: ExpressionEmitter, node: typed.MakeModel) -> ast.expr:
    return python("M.init(seed=s)", M=emit.declared(node.name), s=emit.value(node.seed))


def _make_logs(emit: ExpressionEmitter, node: typed.MakeLogs) -> ast.expr:
    return ast.Call(emit.declared(node.name), [], [ast.keyword(n, emit.value(v)) for n, v in node.metrics])


def _make_mode(emit: ExpressionEmitter, node: typed.MakeMode) -> ast.expr:
    if node.seed is None:
        return python("_ss_rt.Eval")
    return python(f"_ss_rt.{node.name}(seed=s)", s=emit.value(node.seed))


def _sink_call(emit: ExpressionEmitter, node: typed.SinkCall) -> ast.expr:
    sink = emit.value(node.sink)
    if node.record is None:
        return python("_ss_rt.flush_sink(s)", s=sink)
    return python("_ss_rt.write_record(s, r)", s=sink, r=emit.value(node.record))


def _unresolved(emit: ExpressionEmitter, node: typed.Unresolved) -> ast.expr:
    raise AssertionError("no code is generated for a program with errors")


_RULES: dict[type, Callable[[ExpressionEmitter, Any], ast.expr]] = {
    typed.Literal: _literal,
    typed.Local: _local,
    typed.SizeValue: _size_value,
    typed.Apply: _apply,
    typed.Host: _host,
    typed.CallFn: _call_fn,
    typed.CallExtern: call_extern,
    typed.PythonAttribute: _python_attribute,
    typed.PythonCall: _python_call,
    typed.PythonIndex: _python_index,
    typed.Assert: lower_assert,
    typed.FieldOf: _field_of,
    typed.MakeModel: _make_model,
    typed.MakeLogs: _make_logs,
    typed.MakeMode: _make_mode,
    typed.SinkCall: _sink_call,
    typed.Indices: chains.indices,
    typed.Mapped: chains.mapped,
    typed.Moved: chains.moved,
    typed.Filtered: chains.filtered,
    typed.Unresolved: _unresolved,
}
