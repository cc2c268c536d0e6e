"""The built-in operations: one module per operation, of the operation's name."""

from __future__ import annotations

import os
from importlib import import_module

from shapescript_check.operations.operation import Operation

_NOT_OPERATIONS = frozenset({"__init__", "broadcasting", "call", "flows", "lowering", "operation", "parameters"})

_loaded: dict[str, Operation] = {}
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
    found = _loaded.get(name)
    return _load(name, name) if found is None and name in names() else found


def operator(name: str) -> Operation:
    """The operation behind an operator: one of `operators`, which can't be called by name, or one that can."""
    found = _loaded.get(name) or lookup(name)
    return _load(name, f"operators.{name}") if found is None else found


def _load(name: str, module: str) -> Operation:
    found = import_module(f"{__name__}.{module}").OPERATION
    assert isinstance(found, Operation), name
    _loaded[name] = found
    return found
