"""The instances of generic functions that a file's calls ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from shapescript_check.declarations import keys
from shapescript_check.declarations.interfaces import GenericInterface
from shapescript_check.declarations.module import Declared
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic

if TYPE_CHECKING:
    from shapescript_check.checking.check import Check
    from shapescript_check.modules.generics import Copied, Instance, Problem

Kept: TypeAlias = "dict[str, Copied]"
"""The trees of instances, by key."""


class Instances:
    """Makes instances for one check of a file, and says what is wrong with them."""

    def __init__(self, check: Check, kept: Kept) -> None:
        self.check = check
        self.kept = kept
        self._made: dict[str, Instance | None] = {}
        self._depths: dict[str, int] = {}

    def get(self, key: str) -> Instance | None:
        """The instance of a key; None where its function, or what it was, is gone."""
        if key not in self._made:
            self._made[key] = self._instance(key)
        return self._made[key]

    def _instance(self, key: str) -> Instance | None:
        from shapescript_check.modules.generics import Instance, instantiated

        generic, types = keys.instance_parts(key)
        found = self.check.interface(generic)
        if not isinstance(found, GenericInterface) or len(found.variables) != len(types):
            return None
        owner = keys.owner_of(generic)
        check = self.check.imports.programs[owner].check if owner else self.check
        original: Declared = check.scope.declared[keys.within(generic)]
        rename = self.check.imports.renamer(owner).rename if owner else str

        def ask(what: str, name: str) -> object:
            return rename(name) if what == "rename" else check.declares(name)

        copied = self.kept.get(key)
        if copied is None or not copied.stands(original.chunk, ask):
            given = dict(zip(found.variables, types, strict=True))
            assert isinstance(original.item, tree.Fn)
            copied = self.kept[key] = instantiated(original.chunk, original.item, given, ask, owner)
        (item,) = copied.chunk.items
        assert isinstance(item, tree.Fn)
        # Where it is may have changed without what it says.
        return Instance(key, Declared(item, copied.chunk, original.start), check.file.source, check.shown)

    def problem(self, key: str) -> Problem | None:
        """Why an instance can't be called; None if nothing is wrong."""
        from shapescript_check.modules.generics import DEEPEST, Problem

        instance = self.get(key)
        if instance is None:
            return None
        checked = self.check.body(key)
        found = [d for d in (*self.check.signature(key)[1], *checked.diagnostics) if d.is_error]
        if found:
            return self._told(instance, min(found, key=lambda d: d.span))
        if self.depth(key) > DEEPEST:
            return Problem(
                "E2313", f"leads to more than {DEEPEST} levels of generic functions that call each other", ""
            )
        return None

    def _told(self, instance: Instance, first: Diagnostic) -> Problem:
        from shapescript_check.modules.generics import Problem

        name = keys.plain(instance.key)
        place = instance.place(first.span)
        if first.code == "E2311":
            return Problem(
                "E2311", first.message, first.notes[0] if first.notes else f"`{name}` uses it at {place}"
            )
        if first.code == "E2313":
            return Problem("E2313", first.message, "")
        if first.code == "E2312":
            return Problem("E2312", "doesn't check", first.notes[0])
        return Problem("E2312", "doesn't check", f"{place}: error[{first.code}]: {first.message}")

    def depth(self, key: str) -> int:
        """How many levels of instances a call of this one leads to; what it calls is checked by now."""
        if key not in self._depths:
            self._depths[key] = 0  # in a cycle, the others count
            checked = self.check.checked.get(key)
            inner = checked.instances if checked is not None else ()
            self._depths[key] = 1 + max((self.depth(other) for other in inner), default=0)
        return self._depths[key]

    def reached(self) -> list[Instance]:
        """Every instance that the file's functions call, directly or through others, in the order they are found."""
        if not self.kept:
            return []
        found: dict[str, Instance] = {}
        stack = [key for name in self.check.scope.functions for key in self._called(name)][::-1]
        while stack:
            key = stack.pop()
            instance = self.get(key) if key not in found else None
            if instance is not None:
                found[key] = instance
                stack += reversed(self._called(key))
        return list(found.values())

    def _called(self, name: str) -> tuple[str, ...]:
        if name not in self.check.checked and not keys.is_instance(name):
            return ()
        return self.check.body(name).instances
