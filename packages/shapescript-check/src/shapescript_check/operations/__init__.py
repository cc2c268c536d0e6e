"""The built-in operations: one module per operation, of the operation's name."""

from __future__ import annotations

import os
from importlib import import_module

from shapescript_check.operations.operation import Operation

_NOT_OPERATIONS = frozenset(
    {
        "__init__",
        "axis_words",
        "broadcasting",
        "call",
        "flows",
        "lowering",
        "operation",
        "parameters",
        "templates",
    }
)

_loaded: dict[str, Operation] = {}  # by the module in this package
_names: frozenset[str] | None = None


def names() -> frozenset[str]:
    """The names of all built-in operations, from the modules of this package."""
    global _names
    if _names is None:
        files = os.listdir(os.path.dirname(__file__))
        stems = {f[:-3] for f in files if f.endswith(".py")}
        _names = frozenset(stems - _NOT_OPERATIONS)
    return _names


def lookup(name: str) -> Operation | None:
    """The operation of a name, or None. Its module is imported the first time."""
    return _loaded.get(name) or (_load(name) if name in names() else None)


def operator(name: str) -> Operation:
    """The operation behind an operator: one that has a name to call it by, or one of `operators`, which has none."""
    hidden = f"operators.{name}"
    return _loaded.get(hidden) or lookup(name) or _load(hidden)


def _load(module: str) -> Operation:
    found = import_module(f"{__name__}.{module}").OPERATION
    assert isinstance(found, Operation), module
    _loaded[module] = found
    return found
