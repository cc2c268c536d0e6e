"""Going through typed trees: what each node is made of."""

from __future__ import annotations

from typing import Any, TypeAlias

from shapescript_check.typed import tree as typed

_TYPED = frozenset(
    {
        typed.Literal,
        typed.Local,
        typed.SizeValue,
        typed.Apply,
        typed.Host,
        typed.CallFn,
        typed.CallExtern,
        typed.PythonAttribute,
        typed.PythonCall,
        typed.PythonIndex,
        typed.Assert,
        typed.FieldOf,
        typed.MakeModel,
        typed.MakeLogs,
        typed.MakeMode,
        typed.SinkCall,
        typed.Indices,
        typed.Mapped,
        typed.Moved,
        typed.Filtered,
        typed.Paired,
        typed.Unresolved,
    }
)
_STATEMENTS = frozenset(
    {
        typed.BindTo,
        typed.Evaluate,
        typed.ReturnValue,
        typed.SetField,
        typed.CountLoop,
        typed.EachLoop,
        typed.BatchLoop,
        typed.Branch,
    }
)
_SIMPLE = frozenset({str, int, float, bool, type(None)})
_NO_PARTS = frozenset({"type", "span", "header", "stage", "operation"})


Part: TypeAlias = "typed.Typed | tuple[typed.Statement, ...]"


def parts_of(node: typed.Typed | typed.Statement) -> list[Part]:
    """The expressions directly under a node, and the blocks of a statement as tuples."""
    found: list[Part] = []
    for field in _fields(type(node)):
        _gather(getattr(node, field), found)
    return found


def _gather(thing: Any, found: list[Part]) -> None:
    kind = type(thing)
    if kind in _TYPED:
        found.append(thing)
    elif kind is tuple:
        if thing and all(type(each) in _STATEMENTS for each in thing):
            found.append(thing)
        else:
            for each in thing:
                _gather(each, found)
    elif kind not in _SIMPLE:
        for field in _fields(kind):
            _gather(getattr(thing, field), found)


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a record's class that may hold expressions or blocks."""
    known = _known.get(kind)
    if known is None:
        fields: tuple[str, ...] = getattr(kind, "__record_fields__", ())
        known = _known[kind] = tuple(f for f in fields if f not in _NO_PARTS)
    return known


_known: dict[type, tuple[str, ...]] = {}


def is_broken(statements: tuple[typed.Statement, ...]) -> bool:
    """Whether something in a body couldn't be typed, so that what the body does isn't known."""
    left: list[Any] = list(statements)
    while left:
        node = left.pop()
        if isinstance(node, tuple):
            left.extend(node)
        elif isinstance(node, typed.Unresolved):
            return True
        else:
            left.extend(parts_of(node))
    return False
