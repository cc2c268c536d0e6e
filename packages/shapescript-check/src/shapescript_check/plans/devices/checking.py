"""What is wrong in a program because it runs on several devices."""

from __future__ import annotations

from collections.abc import Hashable

from shapescript_check.declarations.devices import are_several, refuse_several, split_dim
from shapescript_check.declarations.interfaces import DimInterface, FnInterface
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.plans.devices.places import Function
from shapescript_check.plans.devices.stages import split_stages
from shapescript_check.plans.devices.summaries import Summary, summary
from shapescript_check.plans.files import CheckedFile
from shapescript_check.typed.tree import Body
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.memo import Memo, Reader


def check_several_devices(
    devices: tree.Devices, file: CheckedFile, kept: Memo[Summary], errors: bool
) -> list[tuple[str | None, Diagnostic]]:
    """What several devices can't run (E2404); where nothing else is wrong, that they aren't supported yet (E3501).

    Arguments:
        devices: the devices line. Nothing is said where it has a mistake, or declares one device.
        file: the file that it is in.
        kept: the summaries of bodies from the check before.
        errors: whether the file has other errors.

    Returns:
        Diagnostics, each with the function that its spans are in; None for the devices line.
    """
    if not are_several(devices):
        return []
    own = file.bodies()
    functions = _functions(file, kept)
    found: list[tuple[str | None, Diagnostic]] = []
    split = split_dim(devices)
    dim = file.interface(split) if split is not None else None
    if split is None:
        found += split_stages(devices, functions, own, None, file.shown_place)
    elif isinstance(dim, DimInterface):
        found += split_stages(devices, functions, own, dim, file.shown_place)
    if not found and not errors:
        report = Reporter()
        refuse_several(devices, report)
        found += [(None, d) for d in report.diagnostics]
    return found


def _functions(file: CheckedFile, kept: Memo[Summary]) -> dict[str, Function]:
    """The functions of the file, and those that they call, at any depth, in the order that they are found."""
    bodies: dict[str, Body] = {name: checked.body for name, checked in file.bodies().items()}
    functions: dict[str, Function] = {}

    def compute(read: Reader) -> Summary:
        body = read(name)
        assert isinstance(body, Body)
        return summary(body)

    def current(_: Hashable) -> Body:
        return bodies[name]

    waiting = list(bodies)
    for name in waiting:
        interface = file.interface(name)
        if name in functions or not isinstance(interface, FnInterface):
            continue
        body = bodies.get(name) or file.interpreted(name)
        if body is not None:
            bodies[name] = body
            functions[name] = Function(interface, kept.get(name, current, compute))
            waiting += [call.name for call in functions[name].summary.calls]
    kept.keep_only(functions.keys())
    return functions
