"""Generates `as`: shape, host and value checks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from shapescript_check.codegen.positions import Place
from shapescript_check.codegen.values import as_debug, value_check
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.lowering import constant, python
from shapescript_check.sizes import SymbolKind
from shapescript_check.typed.tree import Assert
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import Range
from shapescript_check.types.values import HostType, TensorType

if TYPE_CHECKING:
    from shapescript_check.codegen.expressions import ExpressionEmitter


def lower_assert(emit: ExpressionEmitter, node: Assert) -> ast.expr:
    """The value, checked as the modes say."""
    options = emit.context.module.options
    where = emit.where(node.span)
    place = emit.context.positions.place(node.span)
    value = emit.value(node.value)
    held = node.type
    if isinstance(held, HostType) and isinstance(node.value.type, HostType):
        held = TensorType((), HOST_DTYPES[held.kind], Range(held.interval))
    elif isinstance(held, HostType):
        check = "_ss_rt.check_host(x, k, w)"
        return _checked(emit, value, options.checks, place, check, k=constant(held.kind), w=constant(where))
    elif isinstance(node.value.type, HostType):
        value = emit.tensor(node.value)
    assert isinstance(held, TensorType)
    if node.axes is not None:
        emit.context.module.dims_named = True
        check = "_ss_rt.check_shape(x, sizes, text, w, _ss_dims)"
        sizes = ast.Tuple([_entry(emit, a.size) for a in node.axes], ast.Load())
        text, located = constant(node.text), constant(where)
        value = _checked(emit, value, options.checks, place, check, sizes=sizes, text=text, w=located)
    if node.domain_checked:
        value = emit.once(value)
        statement = value_check(emit, value, held, node.text, where)
        if statement is not None:
            for tested in as_debug(emit, [statement]):
                emit.context.add(tested, place)
    return value


def _entry(emit: ExpressionEmitter, size: object) -> ast.expr:
    from shapescript_check.sizes import Size

    assert isinstance(size, Size)
    symbols = size.symbols()
    if any(s.kind is SymbolKind.UNKNOWN for s in symbols):
        known = [n for n, t in emit.context.types.items() if isinstance(t, TensorType) and _has(t.axes, size)]
        if not known:
            return constant(str(size) if len(symbols) == 1 else None)
    return emit.size(size)


def _has(axes: Axes | None, size: object) -> bool:
    return any(a.size == size for a in axes or ())


def _checked(
    emit: ExpressionEmitter, value: ast.expr, mode: str, place: Place, check: str, **parts: ast.expr
) -> ast.expr:
    """The value through a check that gives it back; only where Python isn't optimizing, in `debug` mode."""
    if mode == "off":
        return value
    if mode == "always":
        return python(check, x=value, **parts)
    value = emit.once(value)
    statement = ast.If(ast.Name("__debug__", ast.Load()), [ast.Expr(python(check, x=value, **parts))], [])
    emit.context.add(statement, place)
    return value
