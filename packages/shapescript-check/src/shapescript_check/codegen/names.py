"""Python names for ShapeScript names.

A name that Python keeps for itself, or that generated code uses, gets an underscore behind it; so in generated code a
plain `torch` or `range` is always Python's.
"""

from __future__ import annotations

import ast
import keyword

USED = frozenset(
    {
        "torch",
        "math",
        "range",
        "enumerate",
        "type",
        "int",
        "bool",
        "float",
        "globals",
        "AttributeError",
        "TypeError",
        "ValueError",
        "ZeroDivisionError",
    }
)
"""Names that generated code itself refers to."""


def python_name(name: str) -> str:
    """The name in generated code."""
    if name in USED or keyword.iskeyword(name) or name == "__debug__":
        return name + "_"
    return name


def argument(name: str) -> ast.expr:
    """A parameter's value, or a field of one, as in `batch.img`."""
    owner, _, field = name.partition(".")
    value = ast.Name(python_name(owner), ast.Load())
    return ast.Attribute(value, field, ast.Load()) if field else value
