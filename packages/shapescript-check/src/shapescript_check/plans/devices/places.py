"""Where each function of a program on several devices runs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.plans.devices.summaries import Summary, is_on_devices
from shapescript_check.types.entities import DatasetType, SinkType
from shapescript_syntax.records import members, node

T = TypeVar("T")


@node
class Function:
    """A function of the program: its signature, and the summary of its body."""

    interface: FnInterface
    summary: Summary


@members
class Place(Enum):
    """Which processes run a function."""

    CONTROLLER = "controller"
    """The one that runs the program."""
    WORKERS = "workers"
    """One for each device, every one of them on its part of the data."""
    ANYWHERE = "anywhere"
    """Whichever calls it."""


def places(functions: Mapping[str, Function]) -> dict[str, Place]:
    """Where each function runs: in the controller with what happens once, or calls of what does; otherwise on the
    workers with values that are on the devices."""
    found = {name: _place(function) for name, function in functions.items()}
    once = {name: place for name, place in found.items() if place is Place.CONTROLLER}
    return found | with_callers(functions, once)


def with_callers(functions: Mapping[str, Function], found: Mapping[str, T]) -> dict[str, T]:
    """What is found in some functions, for them and for all that call them, at any depth."""
    callers: dict[str, list[str]] = {}
    for name, function in functions.items():
        for call in function.summary.calls:
            callers.setdefault(call.name, []).append(name)
    reached = dict(found)
    waiting = list(found)
    for name in waiting:
        for caller in callers.get(name, ()):
            if caller not in reached:
                reached[caller] = reached[name]
                waiting.append(caller)
    return reached


def _place(function: Function) -> Place:
    """Where a function runs by what it does itself."""
    kinds = [p.type for p in function.interface.parameters]
    if function.summary.once or any(isinstance(kind, DatasetType | SinkType) for kind in kinds):
        return Place.CONTROLLER
    if function.summary.on_devices or any(is_on_devices(kind) for kind in kinds):
        return Place.WORKERS
    return Place.ANYWHERE
