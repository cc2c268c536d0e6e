"""Which params of a model a function reads, worked out from its typed body."""

from __future__ import annotations

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.entities import ModelType

DEPTH = 32
"""How deep calls are followed; past it, any param may be read."""


def params_read(checker: BodyChecker, function: str) -> frozenset[str] | None:
    """The fields of its first parameter that a function may read; None where it may read any of them."""
    reader = _Reader(checker)
    reader.function(function, 0, DEPTH)
    return None if reader.all else frozenset(reader.found)


class _Reader:
    """Follows one model through functions."""

    def __init__(self, checker: BodyChecker) -> None:
        self.checker = checker
        self.found: set[str] = set()
        self.all = False
        self._seen: set[tuple[str, int]] = set()

    def function(self, name: str, parameter: int, depth: int) -> None:
        """Reads of the parameter at a position, in a function of the program."""
        if (name, parameter) in self._seen or self.all:
            return
        self._seen.add((name, parameter))
        interface = self.checker.function_interface(name)
        body = self.checker.body_of(name) if depth > 0 else None
        if interface is None or body is None or body.broken:
            self.all = True
            return
        names = {interface.parameters[parameter].name}
        while _add_aliases(body.statements, names):
            pass
        self.block(body.statements, names, depth)

    def block(self, statements: tuple[typed.Statement, ...], names: set[str], depth: int) -> None:
        for statement in statements:
            if isinstance(statement, typed.BindTo) and isinstance(statement.value, typed.Local):
                continue
            for part in parts_of(statement):
                if isinstance(part, tuple):
                    self.block(part, names, depth)
                else:
                    self.expression(part, names, depth)

    def expression(self, node: typed.Typed, names: set[str], depth: int) -> None:
        if (
            isinstance(node, typed.FieldOf)
            and isinstance(node.value, typed.Local)
            and node.value.name in names
        ):
            self.found.add(node.name)
        elif isinstance(node, typed.Unresolved):
            self.all = True  # what is wrong has been said
        elif isinstance(node, typed.Local):
            self.all |= node.name in names and isinstance(node.type, ModelType)
        elif isinstance(node, typed.CallFn):
            for i, (_, argument) in enumerate(node.arguments):
                if isinstance(argument, typed.Local) and argument.name in names:
                    self.function(node.name, i, depth - 1)
                elif argument is not None:
                    self.expression(argument, names, depth)
        else:
            for part in parts_of(node):
                assert not isinstance(part, tuple)
                self.expression(part, names, depth)


def _add_aliases(statements: tuple[typed.Statement, ...], names: set[str]) -> bool:
    """Adds the names that are bound to one of `names` anywhere, since a loop may come back to an earlier line."""
    before = len(names)
    for statement in statements:
        if isinstance(statement, typed.BindTo) and isinstance(statement.value, typed.Local):
            if statement.value.name in names:
                names.update(statement.names)
        for part in parts_of(statement):
            if isinstance(part, tuple):
                _add_aliases(part, names)
    return len(names) > before
