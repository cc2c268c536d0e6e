"""Which parameters of an elementwise function a returned value doesn't have the shape of.

A call's result has the shape of all its arguments together. A body that uses all of them gives that by itself; where a
returned value leaves some parameter out, as in `fn second(x: Real, y: Real) -> Real = y`, it has to be spread.
"""

from __future__ import annotations

from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.typed import tree as typed
from shapescript_check.types.values import TensorType

Names = frozenset[str]


def left_out(interface: FnInterface, body: typed.Body) -> dict[int, tuple[str, ...]]:
    """For each return of an elementwise function that leaves parameters out, by its identity, which ones."""
    if not interface.elementwise:
        return {}
    tensors = [p.name for p in interface.parameters if isinstance(p.type, TensorType)]
    returns: dict[int, Names] = {}
    _block(body.statements, {name: frozenset({name}) for name in tensors}, returns)
    found = {key: tuple(t for t in tensors if t not in names) for key, names in returns.items()}
    return {key: names for key, names in found.items() if names}


def as_given(name: str) -> str:
    """The name in generated code of a parameter as the function was given it."""
    return f"_ss_given_{name}"


def _block(
    statements: tuple[typed.Statement, ...], known: dict[str, Names], returns: dict[int, Names]
) -> None:
    """Goes through statements with the parameters whose shapes are in each value's, which it updates."""
    for statement in statements:
        if isinstance(statement, typed.BindTo):
            names = _names(statement.value, known)
            known.update(dict.fromkeys(statement.names, names))
        elif isinstance(statement, typed.ReturnValue) and statement.value is not None:
            returns[id(statement)] = _names(statement.value, known)
        elif isinstance(statement, typed.Branch):
            orelse = dict(known)
            _block(statement.body, known, returns)
            _block(statement.orelse or (), orelse, returns)
            _meet(known, orelse)
        elif isinstance(statement, typed.CountLoop | typed.EachLoop):
            before: dict[str, Names] = {}
            while before != known:
                before = dict(known)
                _block(statement.body, known, returns)
                _meet(known, before)


def _meet(known: dict[str, Names], other: dict[str, Names]) -> None:
    """Keeps of each value what holds on two paths."""
    for name in known:
        known[name] &= other.get(name, frozenset())


def _names(node: typed.Typed, known: dict[str, Names]) -> Names:
    """The parameters whose shapes are in a value's."""
    if isinstance(node, typed.Local):
        return known.get(node.name, frozenset())
    operands: list[typed.Typed] = []
    if isinstance(node, typed.Apply | typed.Host):
        operands = list(node.operands)
    elif isinstance(node, typed.CallFn):
        operands = [value for _, value in node.arguments if value is not None]
    elif isinstance(node, typed.CallExtern):
        operands = [value for _, value in node.arguments if hasattr(value, "type")]
    elif isinstance(node, typed.Assert):
        operands = [node.value]
    return frozenset().union(*(_names(o, known) for o in operands))
