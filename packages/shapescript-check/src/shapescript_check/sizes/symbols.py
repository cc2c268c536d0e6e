"""The symbols that sizes are made of."""

from __future__ import annotations

from enum import Enum
from weakref import WeakValueDictionary

from shapescript_syntax.records import members


@members
class SymbolKind(Enum):
    """What a size symbol stands for, which decides what may be assumed about it."""

    DIM = "dim"
    """A declared dim; behaves as its value."""
    GENERIC = "generic"
    """A generic axis of the function being checked; rigid, at least 1."""
    UNKNOWN = "unknown"
    """A fixed size the checker cannot see; rigid, at least 0."""
    VARIABLE = "variable"
    """A size the solver works out, at least 1."""


_Identity = tuple[SymbolKind, str, "int | None", int]


class Symbol:
    """One immutable size symbol. Equal symbols are the same object: they compare and hash by identity.

    Args:
        kind: what the symbol stands for.
        name: the name as the user sees it, without the `?` of an unknown size.
        value: the number a dim stands for, at least 1; None for the other kinds.
        ident: tells apart symbols of one kind and name; the caller counts.

    Attributes:
        lower: the smallest size the symbol may stand for.

    Raises:
        ValueError: a dim without a value of at least 1, or another kind with a value.
    """

    __slots__ = ("__weakref__", "ident", "kind", "lower", "name", "value")

    kind: SymbolKind
    name: str
    value: int | None
    ident: int
    lower: int

    def __new__(cls, kind: SymbolKind, name: str, value: int | None = None, ident: int = 0) -> Symbol:
        identity = (kind, name, value, ident)
        known = _SYMBOLS.get(identity)
        if known is not None:
            return known
        if (kind is SymbolKind.DIM) != (value is not None) or (value is not None and value < 1):
            raise ValueError(f"a {kind.value} symbol cannot have the value {value}")
        self = object.__new__(cls)
        self.kind = kind
        self.name = name
        self.value = value
        self.ident = ident
        self.lower = value if value is not None else int(kind is not SymbolKind.UNKNOWN)
        return _SYMBOLS.setdefault(identity, self)

    @staticmethod
    def dim(name: str, value: int) -> Symbol:
        """The symbol of `dim name = value`."""
        return Symbol(SymbolKind.DIM, name, value)

    @staticmethod
    def generic(name: str, ident: int = 0) -> Symbol:
        """The symbol of a generic axis."""
        return Symbol(SymbolKind.GENERIC, name, None, ident)

    @staticmethod
    def unknown(name: str, ident: int = 0) -> Symbol:
        """The symbol of an unknown size; `name` has its numeral already, as in `k2`, and no `?`."""
        return Symbol(SymbolKind.UNKNOWN, name, None, ident)

    @staticmethod
    def variable(name: str, ident: int = 0) -> Symbol:
        """A symbol for the solver to work out."""
        return Symbol(SymbolKind.VARIABLE, name, None, ident)

    def __str__(self) -> str:
        return f"?{self.name}" if self.kind is SymbolKind.UNKNOWN else self.name

    def __repr__(self) -> str:
        value = "" if self.value is None else f" = {self.value}"
        ident = f" #{self.ident}" if self.ident else ""
        return f"<{self.kind.value} {self}{value}{ident}>"

    def __reduce__(self) -> tuple[type[Symbol], _Identity]:
        return Symbol, (self.kind, self.name, self.value, self.ident)


# Weak, so that a long-lived server does not keep every symbol it ever made.
_SYMBOLS: WeakValueDictionary[_Identity, Symbol] = WeakValueDictionary()
