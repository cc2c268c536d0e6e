"""Iterator stages that use values which are split across devices (E2404)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from shapescript_check.declarations.devices import one_device
from shapescript_check.declarations.interfaces import DimInterface
from shapescript_check.declarations.keys import plain
from shapescript_check.plans.devices.places import Function, Place, places, with_callers
from shapescript_check.plans.devices.splits import Origin, Split, splits
from shapescript_check.plans.devices.summaries import Call, Stage
from shapescript_check.sizes import Symbol
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic, Label
from shapescript_syntax.records import node
from shapescript_syntax.spans import Span

PlaceOf = Callable[[str, Span], str]


@node
class Found:
    """A split value that a stage uses: where, the size it is split along, and the function that has it, where the
    stage calls one."""

    stage: Stage
    span: Span
    symbol: Symbol
    called: str | None = None


class SplitStages:
    """Finds the stages of a program's functions that can't run on several devices."""

    def __init__(self, functions: Mapping[str, Function], dim: DimInterface | None) -> None:
        self.functions = functions
        self.places = places(functions)
        self.splits = splits(functions, dim)
        own = {name: self._split_in(name) for name in functions}
        self.inside = with_callers(functions, {name: s for name, s in own.items() if s is not None})
        """For functions with a split value, their own or of one that they call, what it is split along."""
        self.first_calls: dict[str, tuple[str, Call]] = {}
        """For functions that are called, the first call, and the function that it is in."""
        for name, function in functions.items():
            for call in function.summary.calls:
                self.first_calls.setdefault(call.name, (name, call))

    def in_function(self, name: str) -> Iterator[Found]:
        """The stages of a function that use a split value, each with the first one; of a chain only the first."""
        if self.places[name] is not Place.WORKERS:
            return
        reported: list[Stage] = []
        for stage in self.functions[name].summary.stages:
            if any(before in reported for before in stage.before):
                reported.append(stage)
                continue
            found = self._used(stage, self.splits[name])
            if found is not None:
                reported.append(stage)
                yield found

    def _used(self, stage: Stage, split: Split) -> Found | None:
        for use in stage.uses:
            for _, symbol in split.axes(use.axes):
                return Found(stage, use.span, symbol)
        for call in stage.calls:
            if call.name in self.inside:
                return Found(stage, call.span, self.inside[call.name], call.name)
        return None

    def _split_in(self, name: str) -> Symbol | None:
        shapes = self.functions[name].summary.shapes
        symbols = [symbol for axes in shapes for _, symbol in self.splits[name].axes(axes)]
        return min(symbols, key=str, default=None)

    def call_from(self, own: Collection[str], name: str, symbol: Symbol) -> tuple[str, Call]:
        """The call in one of the file's own functions that leads to another file's: the one that gives it what is
        split along a size, or else the first. The functions are in the order in which calls lead to them."""
        along: Symbol | None = symbol
        while True:
            origin = self.splits[name].origins.get(along) if along is not None else None
            if origin is not None:
                name, call, along = origin.caller, origin.call, origin.symbol
            else:
                (name, call), along = self.first_calls[name], None
            if name in own:
                return name, call


def split_stages(
    devices: tree.Devices,
    functions: Mapping[str, Function],
    own: Collection[str],
    dim: DimInterface | None,
    place_of: PlaceOf,
) -> Iterator[tuple[str, Diagnostic]]:
    """The stages that several devices can't run (E2404), each with the function of the file's that it is reported in:
    its own, or the one whose call leads to it.

    Arguments:
        devices: the devices line.
        functions: the functions of the program, those of the file first.
        own: the names of the file's.
        dim: the dim of `split H`; None without it.
        place_of: says where a span of a function is.
    """
    stages = SplitStages(functions, dim)
    instead = f"use operations on whole tensors, which are split for you, or declare {one_device(devices)}"
    for function in functions:
        origins = stages.splits[function].origins
        for found in stages.in_function(function):
            if function in own:
                yield function, _at_stage(found, origins.get(found.symbol), instead)
            else:
                caller, call = stages.call_from(own, function, found.symbol)
                yield caller, _at_call(call, found, place_of(function, found.stage.span), instead)


def _at_stage(found: Found, origin: Origin | None, instead: str) -> Diagnostic:
    has = "each device has a part of this"
    labels: tuple[Label, ...] = ()
    if found.called is not None:
        has = f"each device has a part of what `{plain(found.called)}` uses"
        labels = (Label(None, f"it uses values that are split along `{found.symbol}`", found.called),)
    elif origin is not None:
        labels = (Label(None, f"gives it values whose axis `{found.symbol}` is split", origin.caller),)
    return Diagnostic(
        "E2404",
        f"this stage uses values that are split across the devices along `{found.symbol}`",
        found.stage.span,
        labels=(Label(found.span, has), *labels),
        help=instead,
    )


def _at_call(call: Call, found: Found, place: str, instead: str) -> Diagnostic:
    return Diagnostic(
        "E2404",
        f"this call leads to a stage that uses values split across the devices along `{found.symbol}`",
        call.span,
        notes=(f"the stage is at {place}",),
        help=instead,
    )
