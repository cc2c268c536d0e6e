"""Going through typed trees: what each node is made of."""

from __future__ import annotations

from collections.abc import Iterator

from shapescript_check.typed import tree as typed
from shapescript_syntax.records import fields_of

_TYPED = (
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
)
_STATEMENTS = (
    typed.BindTo,
    typed.Evaluate,
    typed.ReturnValue,
    typed.SetField,
    typed.CountLoop,
    typed.EachLoop,
    typed.BatchLoop,
    typed.Branch,
)


def parts_of(
    node: typed.Typed | typed.Statement,
) -> Iterator[typed.Typed | tuple[typed.Statement, ...]]:
    """The expressions directly under a node, and the blocks of a statement as tuples."""
    for field in fields_of(node) or ():
        if field not in ("type", "span", "header", "operation"):
            yield from _inside(getattr(node, field))


def _inside(thing: object) -> Iterator[typed.Typed | tuple[typed.Statement, ...]]:
    if isinstance(thing, _TYPED):
        yield thing
    elif isinstance(thing, tuple):
        if thing and all(isinstance(each, _STATEMENTS) for each in thing):
            yield thing
        else:
            for each in thing:
                yield from _inside(each)
    elif fields_of(thing) is not None:
        for field in fields_of(thing) or ():
            yield from _inside(getattr(thing, field))
