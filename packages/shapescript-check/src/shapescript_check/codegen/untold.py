"""Generic sizes that the shapes of a call's arguments don't tell: `V` of `ids: [b] Index[V]`, `h` and `w` of `[h*w]`.

A call in ShapeScript knows them from types. A compiled function takes each as a keyword argument of its name, which
Python code gives where the function needs it.
"""

from __future__ import annotations

from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.types.entities import RecordType
from shapescript_check.types.values import TensorType


def untold(interface: FnInterface) -> tuple[Symbol, ...]:
    """The generic sizes of a function that can't be read from its arguments' shapes."""
    told: set[Symbol] = set()
    sizes = [
        a.size
        for p in interface.parameters
        if isinstance(p.type, TensorType | RecordType)
        for a in p.type.axes or ()
    ]
    while True:
        found = {s for s in (readable(size, told) for size in sizes) if s is not None}
        if not found:
            return tuple(s for s in interface.generics if s not in told)
        told |= found


def readable(size: Size, told: set[Symbol]) -> Symbol | None:
    """The one generic size that an axis of a size tells, where the others in it are known."""
    unknown = [s for s in size.symbols() if s.kind is SymbolKind.GENERIC and s not in told]
    return unknown[0] if len(unknown) == 1 and linear_in(size, unknown[0]) is not None else None


def linear_in(size: Size, symbol: Symbol) -> tuple[Size, Size] | None:
    """`size` as `factor * symbol + rest`; None where the symbol is squared or the factor mixes."""
    factor, rest = Size.number(0), Size.number(0)
    for monomial, coefficient in size.terms:
        term = Size.number(coefficient)
        count = 0
        for each in monomial:
            if each is symbol:
                count += 1
            else:
                term = term * Size.of(each)
        if count > 1:
            return None
        if count:
            factor = factor + term
        else:
            rest = rest + term
    return factor, rest
