"""What the imports of a file bring into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shapescript_check.declarations import keys
from shapescript_check.declarations.interfaces import (
    Broken,
    FileInterface,
    Interface,
    PythonModule,
)
from shapescript_check.modules.files import ImportedFile

if TYPE_CHECKING:
    from shapescript_check.modules.renaming import Renamer
    from shapescript_check.program import Program
    from shapescript_check.typed.tree import Body
    from shapescript_check.types.values import ValueType

_NOT_OFFERED = (PythonModule, FileInterface)
"""A file's own imports aren't among its names."""


class Imports:
    """The files that a file imports, directly and through others, and what they declare, under this file's names.

    Attributes:
        files: the imports, in order.
        prefixes: for each file within reach, by its identity, what stands before its names here.
        broken: the names that imports bind which are reported already.
    """

    def __init__(self, files: tuple[ImportedFile, ...] = (), broken: tuple[str, ...] = ()) -> None:
        self.files = files
        self.broken = frozenset(broken)
        self.prefixes: dict[str, str] = {}
        self.programs: dict[str, Program] = {}
        """The programs by prefix."""
        self._prefix_of: dict[str, str] = {}
        """The prefix for each name that an import binds, which may be another import's of the same file."""
        self._place_files()
        self._renamers: dict[str, Renamer] = {}
        self._kept: dict[tuple[str, str], tuple[object, Any]] = {}

    def _place_files(self) -> None:
        # A file that is imported twice goes by the name without `as`.
        for file in sorted(self.files, key=lambda f: f.alias != f.module.rpartition(".")[2]):
            prefix = self.prefixes.setdefault(file.found.identity, file.alias)
            self._prefix_of[file.alias] = prefix
            self.programs.setdefault(prefix, file.program)
        for prefix, program in list(self.programs.items()):
            inner = program.imports
            for identity, theirs in inner.prefixes.items():
                if identity not in self.prefixes:
                    mine = self.prefixes[identity] = keys.joined(prefix, theirs)
                    self.programs[mine] = inner.programs[theirs]

    def __bool__(self) -> bool:
        return bool(self.files or self.broken)

    def take_over(self, before: Imports) -> None:
        """Keeps what was copied of files whose names are the same as in the check before."""
        if before.prefixes == self.prefixes:
            self._kept = before._kept

    # --- names ---

    def prefix(self, alias: str) -> str | None:
        """What stands before the names of the file that a name binds; None if it binds none."""
        return alias if alias in self.broken else self._prefix_of.get(alias)

    def offered(self) -> Iterator[tuple[str, Interface]]:
        """The names of what the imported files declare, and its interfaces as those files have them."""
        for prefix in dict.fromkeys(self._prefix_of.values()):
            program = self.programs[prefix]
            for name in program.offered:
                found = program.lookup(name)
                if found is not None:
                    yield f"{prefix}.{name}", found

    # --- declarations ---

    def interface(self, name: str) -> Interface | None:
        """The declaration of another file; Broken for one of a file that is reported, and for no declaration."""
        owner = keys.owner_of(name)
        program = self.programs.get(owner)
        if program is None:
            return Broken(name)
        inner = keys.within(name)
        found = program.lookup(inner)
        offered = keys.plain(inner) in program.offered
        if found is None or not offered or isinstance(found, _NOT_OFFERED):
            return Broken(name)
        return self._copied("interface", owner, name, found)  # type: ignore[no-any-return]

    def returns(self, name: str) -> ValueType | None:
        """The result's type of a function that doesn't declare it."""
        owner = keys.owner_of(name)
        program = self.programs.get(owner)
        found = program.returns(keys.within(name)) if program is not None else None
        return self._copied("returns", owner, name, found)  # type: ignore[no-any-return]

    def body(self, name: str) -> Body | None:
        """The body of a function, to follow what it does."""
        owner = keys.owner_of(name)
        program = self.programs.get(owner)
        found = program.body_of(keys.within(name)) if program is not None else None
        return self._copied("body", owner, name, found)  # type: ignore[no-any-return]

    def _copied(self, what: str, owner: str, name: str, original: object) -> Any:
        if original is None:
            return None
        kept = self._kept.get((what, name))
        if kept is not None and kept[0] is original:
            return kept[1]
        copied = self.renamer(owner)(original)
        self._kept[what, name] = (original, copied)
        return copied

    def renamer(self, owner: str) -> Renamer:
        """What gives the names of a file the ones they have here."""
        if owner not in self._renamers:
            from shapescript_check.modules.renaming import Renamer

            self._renamers[owner] = Renamer(_rename(owner, self.programs[owner], self.prefixes))
        return self._renamers[owner]


def _rename(owner: str, program: Program, prefixes: Mapping[str, str]) -> Any:
    inner = {prefix: prefixes[identity] for identity, prefix in program.imports.prefixes.items()}

    def rename(name: str) -> str:
        if keys.is_instance(name):
            generic, types = keys.instance_parts(name)
            return keys.instance_of(rename(generic), map(rename, types))
        theirs = keys.owner_of(name)
        if theirs:
            return keys.joined(inner.get(theirs, keys.joined(owner, theirs)), keys.within(name))
        return keys.joined(owner, name) if keys.plain(name) in program.scope.declared else name

    return rename


NO_IMPORTS = Imports()
