"""Sizes as Python ints."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from shapescript_check.codegen.names import python_name, reference
from shapescript_check.operations.lowering import constant
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.typed.tree import Typed
from shapescript_check.types.entities import RecordType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    from shapescript_check.codegen.context import FunctionContext


def size_expression(
    context: FunctionContext, size: Size, near: tuple[Typed, ast.expr] | None = None
) -> ast.expr:
    """A size, from dims, the function's generic sizes and the shapes of its values.

    Raises LookupError for an unknown size that no value in reach has.
    """
    whole = _read(context, size, near)
    if whole is not None:
        return whole
    total: ast.expr | None = None
    for monomial, coefficient in size.terms:
        term = _term(context, monomial, abs(coefficient), near)
        if total is None:
            total = ast.UnaryOp(ast.USub(), term) if coefficient < 0 else term
        else:
            total = ast.BinOp(total, ast.Sub() if coefficient < 0 else ast.Add(), term)
    return total if total is not None else ast.Constant(0)


def _term(
    context: FunctionContext,
    monomial: tuple[Symbol, ...],
    coefficient: int,
    near: tuple[Typed, ast.expr] | None,
) -> ast.expr:
    factors: list[ast.expr] = [] if coefficient == 1 and monomial else [constant(coefficient)]
    factors += [_symbol(context, s, near) for s in monomial]
    product = factors[0]
    for factor in factors[1:]:
        product = ast.BinOp(product, ast.Mult(), factor)
    return product


def _symbol(context: FunctionContext, symbol: Symbol, near: tuple[Typed, ast.expr] | None) -> ast.expr:
    if symbol.kind is SymbolKind.DIM:
        return reference(symbol.name)
    if symbol.kind is SymbolKind.GENERIC:
        context.used.add(symbol)
        return ast.Name(python_name(symbol.name), ast.Load())
    found = _read(context, Size.of(symbol), near)
    if found is None:
        raise LookupError(f"nothing tells the size {symbol}")
    return found


def _read(context: FunctionContext, size: Size, near: tuple[Typed, ast.expr] | None) -> ast.expr | None:
    """An unknown size as an axis of a value that has it."""
    if not any(s.kind is SymbolKind.UNKNOWN for s in size.symbols()):
        return None
    if near is not None and isinstance(near[0].type, TensorType):
        found = _axis_of(near[0].type, size)
        if found is not None:
            return _shape_entry(near[1], found)
    for name, kind in context.types.items():
        if isinstance(kind, TensorType):
            found = _axis_of(kind, size)
            if found is not None:
                return _shape_entry(ast.Name(python_name(name), ast.Load()), found)
        elif isinstance(kind, RecordType) and context.module.fields_of(kind):
            field, field_kind = context.module.fields_of(kind)[0]
            found = _axis_of(field_kind, size)
            if found is not None:
                return _shape_entry(
                    ast.Attribute(ast.Name(python_name(name), ast.Load()), field, ast.Load()), found
                )
    return None


def _axis_of(kind: TensorType, size: Size) -> int | None:
    return next((i for i, a in enumerate(kind.axes or ()) if a.size.same(size)), None)


def _shape_entry(value: ast.expr, axis: int) -> ast.expr:
    return ast.Subscript(ast.Attribute(value, "shape", ast.Load()), ast.Constant(axis), ast.Load())
