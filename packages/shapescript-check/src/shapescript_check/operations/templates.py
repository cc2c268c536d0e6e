"""Python expressions made of templates. Operations use them through `lowering`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, TypeAlias

Value: TypeAlias = int | float | bool | str | Sequence[int] | None
Part: TypeAlias = ast.expr | Value

_INFINITY = float("inf")


@cache
def _parsed(template: str) -> ast.expr:
    return ast.parse(template, mode="eval").body


def _copied(node: Any, parts: dict[str, ast.expr]) -> Any:
    if isinstance(node, ast.Name):
        return parts.get(node.id) or ast.Name(node.id, node.ctx)
    if isinstance(node, ast.AST):
        new = copy(node)
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                setattr(new, field, _copied(value, parts))
            elif isinstance(value, list):
                setattr(new, field, [_copied(v, parts) for v in value])
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(new, attribute):
                delattr(new, attribute)
        return new
    return node


def fill(template: str, parts: Mapping[str, Part]) -> ast.expr:
    """The expression of a template, with its parts in it."""
    filled = {name: part if isinstance(part, ast.expr) else constant(part) for name, part in parts.items()}
    result = _copied(_parsed(template), filled)
    assert isinstance(result, ast.expr)
    return result


def constant(value: Value) -> ast.expr:
    """A Python constant. Negative numbers and infinities are written as a person would."""
    if isinstance(value, bool | str) or value is None:
        return ast.Constant(value)
    if isinstance(value, int | float):
        if value != value or value == _INFINITY:
            return ast.Attribute(ast.Name("math", ast.Load()), str(value), ast.Load())
        if value < 0 or (isinstance(value, float) and str(value).startswith("-")):
            return ast.UnaryOp(ast.USub(), constant(-value))
        return ast.Constant(value)
    return ast.Tuple([constant(v) for v in value], ast.Load())
