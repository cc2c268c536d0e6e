"""Python names for ShapeScript names.

A name that Python keeps for itself, or that generated code uses, gets an underscore behind it; so in generated code a
plain `torch` or `range` is always Python's.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence

from shapescript_check.declarations import keys

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


def function_name(key: str) -> str:
    """The name of a function's `def`, by its key: as `_ss_forward__Mlp` for an overload and for an instance.

    No two keys have one name: `a.Mlp` is `a·Mlp`, which a model `a_Mlp` isn't.
    """
    if keys.is_instance(key):
        generic, types = keys.instance_parts(key)
        # Functions of two files may have one name; the file's is in it, as in that of a type.
        return _joined((generic, *types))
    name, _, model = keys.within(key).partition("@")
    return _joined((name, model)) if model else python_name(name)


_DOT = "·"
"""What stands for a dot: of the characters that may be in Python's names, the one that looks most like it."""
_BETWEEN = "__"


def _joined(names: Sequence[str]) -> str:
    parts = [name.replace(_DOT, _DOT * 2).replace(".", _DOT) for name in names]
    # Where a part has such underscores itself, it couldn't be told where it ends.
    told = all(_BETWEEN not in f"_{part}_" for part in parts)
    return "_ss_" + (_BETWEEN if told else f"{_DOT}{_BETWEEN}{_DOT}").join(parts)


def written_name(function: str) -> str:
    """The name of a function as its author wrote it, by that of its `def`."""
    if not function.startswith("_ss_"):
        return function
    first = function.removeprefix("_ss_")
    ambiguous = f"{_DOT}{_BETWEEN}{_DOT}"
    name = first.partition(ambiguous if ambiguous in first else _BETWEEN)[0]
    return name.replace(_DOT * 2, "\0").rpartition(_DOT)[2].replace("\0", _DOT)


def module_name(prefix: str) -> str:
    """The variable that holds an imported file's module."""
    return f"_ss_mod_{prefix}"


def reference(name: str) -> ast.expr:
    """What a declaration is in generated code: of the file, or of the module of another one."""
    owner = "" if keys.is_instance(name) else keys.owner_of(name)
    own = function_name(name)
    if not owner:
        return ast.Name(own, ast.Load())
    first, *rest = owner.split(".")
    value: ast.expr = ast.Name(module_name(first), ast.Load())
    for part in (*map(module_name, rest), own):
        value = ast.Attribute(value, part, ast.Load())
    return value


def argument(name: str) -> ast.expr:
    """A parameter's value, or a field of one, as in `batch.img`."""
    owner, _, field = name.partition(".")
    value = ast.Name(python_name(owner), ast.Load())
    return ast.Attribute(value, field, ast.Load()) if field else value
