"""All that a check has to say about a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shapescript_check.declarations.keys import is_instance
from shapescript_check.hints import Hints, chunk_hints
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.parsing.files import ParsedChunk, Placed

if TYPE_CHECKING:
    from shapescript_check.checking.check import Check


def diagnostics(check: Check) -> list[Diagnostic]:
    """Everything that is wrong, in the order of the file."""
    found: list[Diagnostic] = []
    for placed in check.file.placed:
        found += [d.located(placed.start, check.place_of) for d in placed.chunk.diagnostics]
    if check.hints:
        for placed, hints in _hints(check):
            found += [d.located(placed.start, check.place_of) for d in hints]
    found += [d.located(start, check.place_of) for start, d in check.scope.diagnostics]
    mine = [(name, signature[1]) for name, signature in check.signatures.items() if signature[1]]
    mine += [(name, checked.diagnostics) for name, checked in check.checked.items() if checked.diagnostics]
    found += [d.located(start, check.place_of) for start, d in check.reported]
    for name, diagnostics in mine:
        if is_instance(name):
            continue  # they are told at its calls
        start = check.scope.functions[name].start
        found += [d.located(start, check.place_of) for d in diagnostics]
    if check.imports:
        from shapescript_check.plans.exporting import calls_of_other_files

        functions = check.scope.functions
        found += [d.located(functions[name].start, check.place_of) for name, d in calls_of_other_files(check)]
    found += _of_several_devices(check, has_errors(found))
    found.sort(key=lambda d: (d.span, d.code))
    return found


def _of_several_devices(check: Check, errors: bool) -> list[Diagnostic]:
    """What several devices can't run; where nothing else is wrong either, that they aren't supported yet."""
    devices = check.scope.devices
    if devices is None or len(devices.numbers or ()) < 2:
        return []
    from shapescript_check.plans.devices.checking import check_several_devices

    found = check_several_devices(devices, check, check.kept.summaries, errors)
    functions = check.scope.functions
    return [
        d.located(check.scope.devices_start if name is None else functions[name].start, check.place_of)
        for name, d in found
    ]


def _hints(check: Check) -> Iterator[tuple[Placed, Hints]]:
    standing: dict[ParsedChunk, Hints] = {}
    if check.changed is not None:
        chunks = [placed.chunk for placed in check.file.placed]
        standing = check.kept.hints.standing(chunks, check.kept.hints.touched(check.changed))
    for placed in check.file.placed:
        hints = standing.get(placed.chunk)
        if hints is None:
            hints = chunk_hints(placed.chunk, check.read, check.kept.hints)
        if hints:
            yield placed, hints
