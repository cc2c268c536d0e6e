"""What generated code has as a Python number and not as a tensor."""

from __future__ import annotations

from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.typed import tree as typed
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import HostType, TensorType

HOST_MATH = frozenset(
    {"exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tanh", "erf", "acos", "asin", "atan2"}
)
"""Functions of torch that Python's math module has under the same name."""


def is_number(node: typed.Typed) -> bool:
    """Whether generated code has a Python number for a node: a host scalar, or math on host scalars."""
    if isinstance(node.type, HostType):
        return True
    if isinstance(node, typed.CallExtern):
        return node.math in HOST_MATH and all(is_number(a) for _, a in node.arguments)
    if isinstance(node, typed.Apply):
        return node.operation.on_numbers(node) and all(is_number(o) for o in node.operands)
    return False


def number_dtype(node: typed.Typed) -> DType:
    """The dtype of a tensor made of a Python number."""
    kind = node.type
    if isinstance(kind, TensorType):
        return kind.dtype or DType.F32
    assert isinstance(kind, HostType)
    return HOST_DTYPES[kind.kind]
