"""How classes that only hold data are made: tree nodes and values.

They are what `dataclasses` would make, without its price at start-up. A run of `shapescript check` makes about 150
such classes; `dataclasses` takes some 60 ms for them, compiling several functions for each, while here a class gets
a function the first time it is called, and most never are. Functions of classes with as many fields are the same but
for the names in them, so that few are compiled.

Records are declared frozen for type checkers. Building a record that is frozen for real costs about three times as
much, so they are only where SHAPESCRIPT_FREEZE is set, as the tests do.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")
_FROZEN = bool(os.environ.get("SHAPESCRIPT_FREEZE"))


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[_T]) -> type[_T]:
    """Makes a class a tree node: slots, an `__init__` that takes its fields in order, equality by identity."""
    return _record(cls, ("__init__",))


@dataclass_transform(frozen_default=True)
def value(cls: type[_T]) -> type[_T]:
    """Makes a class a value: as a node, with equality and a hash from its fields.

    Fields named in the class's `_uncompared` decide neither.
    """
    return _record(cls, ("__init__", "__eq__", "__hash__"))


def replaced(record: _T, /, **changes: Any) -> _T:
    """A copy of a record with some fields changed."""
    fields: tuple[str, ...] = type(record).__record_fields__  # type: ignore[attr-defined]
    return type(record)(**{name: changes.get(name, getattr(record, name)) for name in fields})


def fields_of(thing: object) -> tuple[str, ...] | None:
    """The names of a record's fields, None for anything else."""
    return getattr(thing.__class__, "__record_fields__", None)


def members(cls: type[_T]) -> type[_T]:
    """Makes the members of an Enum plain attributes, as they are from Python 3.12 on: in 3.11, reading one runs a
    function written in Python."""
    for name, member in cls.__members__.items():  # type: ignore[attr-defined]
        type.__setattr__(cls, name, member)
    return cls


def _record(cls: type[_T], methods: tuple[str, ...]) -> type[_T]:
    # Not inspect.get_annotations, whose module costs more at start-up than all of this.
    annotations: dict[str, str] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
    fields = tuple(name for name, kind in annotations.items() if not kind.startswith("ClassVar"))
    members = dict(cls.__dict__)
    defaults = {name: members.pop(name) for name in fields if name in members}
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    members |= {
        "__slots__": fields,
        "__match_args__": fields,
        "__record_fields__": fields,
        "__repr__": _repr,
        "__reduce__": _reduce,
    }
    if _FROZEN:
        members |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    for method in methods:
        if method == "__init__" or method not in members:
            members[method] = _made_on_use(method, fields, defaults)
    made: type[_T] = type.__new__(type(cls), cls.__name__, cls.__bases__, members)
    made.__qualname__ = cls.__qualname__
    return made


def _made_on_use(method: str, fields: tuple[str, ...], defaults: dict[str, object]) -> Callable[..., Any]:
    """A method that makes itself for its class, puts the result in its own place and goes on as it."""

    def first_call(self: object, *arguments: object, **named: object) -> object:
        cls = next(c for c in type(self).__mro__ if c.__dict__.get(method) is first_call)
        if method == "__init__":
            made = FunctionType(_code(method, fields), globals(), method, tuple(defaults.values()))
        else:
            uncompared = getattr(cls, "_uncompared", ())
            compared = tuple(f for f in fields if f not in uncompared)
            made = FunctionType(_code(method, compared), globals(), method)
        setattr(cls, method, made)
        return made(self, *arguments, **named)

    return first_call


def _code(method: str, fields: tuple[str, ...]) -> CodeType:
    """The code of a method: that of a class with as many fields, which is compiled once, with these names in it."""
    code = _compiled.get((method, len(fields)))
    if code is None:
        scope: dict[str, FunctionType] = {}
        exec(_SOURCES[method](tuple(f"field_{i}" for i in range(len(fields)))), scope)
        code = _compiled[method, len(fields)] = scope[method].__code__
    names = {f"field_{i}": field for i, field in enumerate(fields)}
    return code.replace(
        co_names=tuple(names.get(n, n) for n in code.co_names),
        co_varnames=tuple(names.get(n, n) for n in code.co_varnames),
        co_consts=tuple(names.get(c, c) if isinstance(c, str) else c for c in code.co_consts),
    )


_compiled: dict[tuple[str, int], CodeType] = {}
_set = object.__setattr__


def _init_source(fields: tuple[str, ...]) -> str:
    parameters = "".join(f", {f}" for f in fields)
    assign = "_set(self, {0!r}, {0})" if _FROZEN else "self.{0} = {0}"
    body = "".join(f"\n    {assign.format(f)}" for f in fields) or "\n    pass"
    return f"def __init__(self{parameters}):{body}"


def _eq_source(fields: tuple[str, ...]) -> str:
    same = "".join(f" and self.{f} == other.{f}" for f in fields)
    return (
        "def __eq__(self, other):\n"
        "    if self is other:\n        return True\n"
        "    if other.__class__ is not self.__class__:\n        return NotImplemented\n"
        f"    return True{same}"
    )


def _hash_source(fields: tuple[str, ...]) -> str:
    return f"def __hash__(self):\n    return hash(({''.join(f'self.{f}, ' for f in fields)}))"


_SOURCES = {"__init__": _init_source, "__eq__": _eq_source, "__hash__": _hash_source}


def _repr(self: object) -> str:
    fields: tuple[str, ...] = type(self).__record_fields__  # type: ignore[attr-defined]
    return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in fields)})"


def _reduce(self: object) -> tuple[type, tuple[object, ...]]:
    fields: tuple[str, ...] = type(self).__record_fields__  # type: ignore[attr-defined]
    return type(self), tuple(getattr(self, f) for f in fields)


def _refuse_set(self: object, name: str, _value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is never changed, and something assigns its {name}")


def _refuse_delete(self: object, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is never changed, and something deletes its {name}")
