"""Which values of a program on several devices are split across them.

A value is split by its type: where it has an axis whose size is split in the function that it is in. Sizes are split
where data is given to functions, and follow it through their calls. With `split H` that is the dim H, and otherwise the
batch axis of every batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shapescript_check.declarations.interfaces import DimInterface
from shapescript_check.plans.devices.places import Function
from shapescript_check.plans.devices.summaries import ANY_SHAPE, Call, Summary, axes_of
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.types.axes import Axes, Axis
from shapescript_check.types.entities import RecordType
from shapescript_syntax.records import node

_OF_FUNCTIONS = (SymbolKind.GENERIC, SymbolKind.UNKNOWN)


@node
class Origin:
    """What makes a size of a function split: a call that gives it a value, which is split along `symbol` there."""

    caller: str
    call: Call
    symbol: Symbol


@node
class Split:
    """The sizes that are split in one function, each with what makes it so; None where it is whoever calls it.

    `heads` is whether `split H` decides what is split. A value is whole then where H is in two of its axes, or in a
    group after another axis.
    """

    origins: dict[Symbol, Origin | None]
    heads: bool

    def axes(self, axes: Axes) -> list[tuple[int, Symbol]]:
        """The positions of the axes along which a value is split, and what of each is."""
        found = [(i, *each) for i, axis in enumerate(axes) for each in self._in(axis)]
        if self.heads and len(found) != 1:
            return []
        return [(i, symbol) for i, symbol, first in found if first]

    def _in(self, axis: Axis) -> Iterator[tuple[Symbol, bool]]:
        """The split sizes in an axis, and whether each is the whole axis or the first of its group."""
        for i, part in enumerate(axis.parts):
            for inside, first in self._in(part):
                yield inside, first and i == 0
        symbol = None if axis.parts else only_symbol(axis.size)
        if symbol is not None and symbol in self.origins:
            yield symbol, True


def only_symbol(size: Size) -> Symbol | None:
    """The symbol that a size is, None for any other size."""
    symbols = size.symbols()
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    return symbol if size == Size.of(symbol) else None


def splits(functions: Mapping[str, Function], dim: DimInterface | None) -> dict[str, Split]:
    """What is split in each function.

    Arguments:
        functions: the functions of the program. Of several calls that give one split values, the first is its origin.
        dim: the dim of `split H`; None without it.
    """
    found = {name: Split(_own(function, dim), dim is not None) for name, function in functions.items()}
    waiting = list(functions)
    for caller in waiting:
        mine, summary = found[caller], functions[caller].summary
        _follow_asserted(mine, summary)
        for call in summary.calls:
            if call.name in functions:
                theirs = found[call.name].origins
                before = len(theirs)
                for given, taken in _taken(mine, call, functions[call.name]):
                    theirs.setdefault(taken, Origin(caller, call, given))
                if len(theirs) > before:
                    waiting.append(call.name)
    return found


def _own(function: Function, dim: DimInterface | None) -> dict[Symbol, Origin | None]:
    """The sizes that are split in a function whoever calls it."""
    if dim is not None:
        return dict.fromkeys(dim.size.symbols())
    batches = [p.type for p in function.interface.parameters if isinstance(p.type, RecordType)]
    sizes = [only_symbol(batch.axes[0].size) for batch in batches if batch.axes]
    return dict.fromkeys((*(s for s in sizes if s is not None), *function.summary.batches))


def _follow_asserted(split: Split, summary: Summary) -> None:
    """After `x as [?k D]`, whatever has the axis `?k` is split as `x` is."""
    before = -1
    while before != len(split.origins):
        before = len(split.origins)
        for known, claimed in summary.asserted:
            for symbol, other in _carried(split, known, claimed):
                split.origins.setdefault(other, split.origins[symbol])


def _taken(split: Split, call: Call, function: Function) -> Iterator[tuple[Symbol, Symbol]]:
    """The sizes that are split in a call's arguments, each with the size of the function's that it is there."""
    kinds = {p.name: p.type for p in function.interface.parameters}
    for name, axes in call.arguments:
        yield from _carried(split, axes, axes_of(kinds.get(name)))


def _carried(split: Split, given: Axes, taken: Axes) -> list[tuple[Symbol, Symbol]]:
    """The sizes that a value with the axes `given` is split along, each with what it is where the value has the axes
    `taken`: a size of that function, or an unknown one."""
    along = split.axes(given)
    if along and ANY_SHAPE in (given, taken):
        along = [(i, along[0][1]) for i in range(len(taken))]
    elif len(given) != len(taken):
        return []
    found = [(symbol, _first_symbol(taken[i])) for i, symbol in along]
    return [(s, other) for s, other in found if other is not None and other.kind in _OF_FUNCTIONS]


def _first_symbol(axis: Axis) -> Symbol | None:
    while axis.parts:
        axis = axis.parts[0]
    return only_symbol(axis.size)
