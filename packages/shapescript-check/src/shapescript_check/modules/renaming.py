"""What another file's checker found, in the names that this file has for it.

A declaration is matched by its name everywhere: a model's type, a dim's symbol, a call in a body. So types, interfaces
and typed bodies of another file are copied with those names replaced.
"""

from __future__ import annotations

from typing import Any

from shapescript_check.declarations.interfaces import (
    AliasInterface,
    DataInterface,
    DimInterface,
    DomainInterface,
    FnInterface,
    GenericInterface,
    LogsInterface,
    ModelInterface,
    OverloadsInterface,
)
from shapescript_check.modules.qualifying import Qualifier, Rename
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.typed import tree as typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.domains import Range
from shapescript_check.types.entities import (
    DatasetType,
    GradType,
    LogsType,
    ModelType,
    OptimizerType,
    RecordType,
)
from shapescript_syntax import tree
from shapescript_syntax.records import fields_of, replaced

# The fields of these classes that hold the name of a declaration.
_NAMED: dict[type, tuple[str, ...]] = {
    DimInterface: ("name",),
    DomainInterface: ("name",),
    FnInterface: ("name", "identity"),
    ModelInterface: ("name",),
    DataInterface: ("name",),
    LogsInterface: ("name",),
    ModelType: ("name",),
    GradType: ("model",),
    OptimizerType: ("model",),
    RecordType: ("name",),
    DatasetType: ("record",),
    LogsType: ("name",),
    Range: ("name",),
    typed.CallFn: ("name",),
    typed.CallExtern: ("name",),
    typed.MakeModel: ("name",),
    typed.MakeLogs: ("name",),
}


class Renamer:
    """Copies values of the checker with every name of a declaration replaced."""

    def __init__(self, rename: Rename) -> None:
        self.rename = rename
        self._sizes: dict[Size, Size] = {}

    def __call__(self, thing: Any) -> Any:
        """The copy, or the same object if nothing in it is named."""
        kind = type(thing)
        if kind in _PLAIN:
            return thing
        if kind is Size:
            return self.size(thing)
        if kind is Symbol:
            return self._symbol(thing)
        if kind is Axis:
            return self._axis(thing)
        if kind is tuple or kind is list:
            items = [self(i) for i in thing]
            return thing if all(a is b for a, b in zip(items, thing, strict=True)) else kind(items)
        if kind is frozenset:
            return frozenset(self(i) for i in thing)
        if kind is dict:
            return {self(k): self(v) for k, v in thing.items()}
        if kind is AliasInterface:
            return self._alias(thing)
        if kind is OverloadsInterface:
            versions = tuple((self.rename(model), self.rename(key)) for model, key in thing.versions)
            return OverloadsInterface(self.rename(thing.name), versions)
        if kind is GenericInterface:
            return replaced(thing, name=self.rename(thing.name))
        return self._record(thing, kind)

    def _record(self, thing: Any, kind: type) -> Any:
        names = fields_of(thing)
        if names is None or kind.__module__ == tree.__name__:
            return thing
        changes: dict[str, Any] = {}
        for name in names:
            before = getattr(thing, name)
            after = self(before)
            if after is not before:
                changes[name] = after
        for name in _NAMED.get(kind, ()):
            before = getattr(thing, name)
            if before is not None:
                changes[name] = self.rename(before)
        return replaced(thing, **changes) if changes else thing

    def size(self, size: Size) -> Size:
        """A size, with the dims in it renamed."""
        found = self._sizes.get(size)
        if found is None:
            dims = [s for s in size.symbols() if s.kind is SymbolKind.DIM]
            found = size.substitute({s: Size.of(self._symbol(s)) for s in dims}) if dims else size
            self._sizes[size] = found
        return found

    def _symbol(self, symbol: Symbol) -> Symbol:
        if symbol.kind is not SymbolKind.DIM:
            return symbol
        assert symbol.value is not None
        return Symbol.dim(self.rename(symbol.name), symbol.value)

    def _axis(self, axis: Axis) -> Axis:
        dim = next((s for s in axis.size.symbols() if s.name == axis.name and s.kind is SymbolKind.DIM), None)
        name = self.rename(axis.name) if dim is not None and axis.name is not None else axis.name
        return Axis(self.size(axis.size), name, tuple(self._axis(p) for p in axis.parts))

    def _alias(self, alias: AliasInterface) -> AliasInterface:
        shape = Qualifier(lambda owner, name: self.rename(f"{owner}.{name.text}"), self.rename).shape(
            alias.shape
        )
        return AliasInterface(self.rename(alias.name), alias.text, shape)


_PLAIN = frozenset({str, int, float, bool, type(None)})
