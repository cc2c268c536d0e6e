"""Functions without a return type that call themselves, directly or through others of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from shapescript_check.declarations.module import Declared
from shapescript_syntax import tree


def undeclared_cycles(functions: Mapping[str, Declared]) -> frozenset[str]:
    """The functions whose result's type can't be told from their bodies, since it depends on itself."""
    undeclared = {
        name: declared.item
        for name, declared in functions.items()
        if isinstance(declared.item, tree.Fn) and declared.item.returns is None
    }
    return _cycles(undeclared)


def elementwise_cycles(functions: Mapping[str, Declared]) -> frozenset[str]:
    """The functions without shapes that call themselves: their bodies give no range, since it depends on itself."""
    shapeless = {
        name: declared.item
        for name, declared in functions.items()
        if isinstance(declared.item, tree.Fn)
        and all(p.type is None or p.type.shape is None for p in declared.item.parameters)
    }
    return _cycles(shapeless)


def _cycles(functions: Mapping[str, tree.Fn]) -> frozenset[str]:
    calls = {name: _called(item) & functions.keys() for name, item in functions.items()}
    return frozenset(name for name in functions if _reaches(name, calls))


def _called(fn: tree.Fn) -> frozenset[str]:
    """The names in a body that may be functions: a parameter hides the function of its name."""
    return mentioned(fn.body) - {parameter.name.text for parameter in fn.parameters}


def _reaches(name: str, calls: Mapping[str, frozenset[str]]) -> bool:
    seen: set[str] = set()
    stack = list(calls[name])
    while stack:
        other = stack.pop()
        if other == name:
            return True
        if other not in seen:
            seen.add(other)
            stack += calls[other]
    return False


@lru_cache(maxsize=1 << 12)
def mentioned(root: object) -> frozenset[str]:
    """Every name that stands in an expression somewhere under a node."""
    names: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack += node
        elif isinstance(node, tree.Ident):
            names.add(node.name)
        elif hasattr(node, "__slots__") and not isinstance(node, tree.TypeExpr):
            stack += [getattr(node, slot) for slot in node.__slots__]
    return frozenset(names)
