"""The typed nodes of a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shapescript_check.program import Program
from shapescript_check.typed import tree as typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.values import ValueType
from shapescript_syntax.records import fields_of


def applications(program: Program) -> Iterator[tuple[str, typed.Apply]]:
    """Every application of an operation in a program's bodies, each with the name of its function."""
    for name, checked in program.bodies.items():
        for node in under(checked.body.statements):
            if isinstance(node, typed.Apply):
                yield name, node


def under(item: Any) -> Iterator[Any]:
    """The typed nodes in a node, in whatever its operation keeps beside it, or in several of them."""
    if isinstance(item, tuple | list):
        for each in item:
            yield from under(each)
    elif hasattr(type(item), "__record_fields__") and not isinstance(item, ValueType | Axis):
        if type(item).__module__ == typed.__name__:
            yield item
        for field in fields_of(item):
            yield from under(getattr(item, field))
