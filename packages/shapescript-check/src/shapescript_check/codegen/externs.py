"""Generates calls of extern functions and of the prelude's."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from shapescript_check.codegen.numbers import HOST_MATH, is_number
from shapescript_check.operations.lowering import python
from shapescript_check.sizes import Size
from shapescript_check.typed import tree as typed
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    from shapescript_check.codegen.expressions import ExpressionEmitter


def call_extern(emit: ExpressionEmitter, node: typed.CallExtern) -> ast.expr:
    """The call, with integers made floats where torch's function takes none."""
    if node.math in HOST_MATH and all(is_number(a) for _, a in node.arguments):
        return ast.Call(python(f"math.{node.math}"), [emit.value(a) for _, a in node.arguments], [])
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    rank = len(node.type.axes or ()) if isinstance(node.type, TensorType) else 0
    tensors = iter(node.alignment)
    expected = emit.context.module.parameters_of(node.name)
    for i, (name, value) in enumerate(node.arguments):
        number_dtype = _float_dtype(node)
        expr = _extern_argument(emit, value, expected.get(name), tensors, rank, node.name, number_dtype)
        if _takes_floats(node, expected.get(name)) and _holds_integers(value):
            # Some of torch's float functions take no integers.
            expr = python("x.to(t)", x=expr, t=emit.dtype(_float_dtype(node)))
        elif _may_hold_integers(node, expected.get(name), value):
            expr = python("_ss_rt.as_float(x)", x=expr)
        if i < node.positional:
            arguments.append(expr)
        else:
            keywords.append(ast.keyword(name, expr))
    return ast.Call(emit.context.module.python_function(node.path), arguments, keywords)


def _takes_floats(node: typed.CallExtern, expected: object) -> bool:
    """Whether a parameter takes any float, so that integers given for it are made floats."""
    any_dtype = isinstance(expected, TensorType) and expected.axes is None and expected.dtype is None
    return node.math is not None or any_dtype


def _may_hold_integers(node: typed.CallExtern, expected: object, value: Any) -> bool:
    """Whether a value in an elementwise function's body may hold integers, for a function that may take none."""
    kind = getattr(value, "type", None)
    unknown = isinstance(kind, TensorType) and kind.dtype is None and kind.axes is None
    native = node.math is not None and node.path == f"torch.{node.math}"
    return unknown and not native and _takes_floats(node, expected)


def _float_dtype(node: typed.CallExtern) -> DType:
    kind = node.type
    floats = isinstance(kind, TensorType) and kind.dtype is not None and kind.dtype.is_float
    return kind.dtype if floats else DType.F32  # type: ignore[union-attr, return-value]


def _holds_integers(value: Any) -> bool:
    kind = getattr(value, "type", None)
    return isinstance(kind, TensorType) and kind.dtype is not None and kind.dtype.is_int


def _extern_argument(
    emit: ExpressionEmitter,
    value: Any,
    expected: object,
    alignment: Any,
    rank: int,
    callee: str,
    dtype: DType,
) -> ast.expr:
    if isinstance(value, Size):
        return emit.size(value)
    if isinstance(value, int) or (isinstance(value, typed.Literal) and value.value is None):
        return ast.Constant(value if isinstance(value, int) else None)
    if isinstance(value, list):
        return ast.List([ast.Constant(v) for v in value], ast.Load())
    if isinstance(expected, TensorType):
        positions = next(alignment, ())
        if not is_number(value):
            return emit.aligned(value, positions, rank)
        return emit.tensor(value, expected.dtype or dtype)
    return emit.argument(value, callee)
