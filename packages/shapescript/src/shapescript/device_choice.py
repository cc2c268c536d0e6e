"""Devices that are chosen from outside a file, and how they go with its own `devices` line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Span

if TYPE_CHECKING:
    from shapescript_check.program import Program


def normalized(devices: str) -> str:
    """Devices as a `devices` line says them, such as `cuda[0]`, with the spaces it has.

    Raises:
        ValueError: if they couldn't be on a `devices` line. Its text says why.
    """
    from shapescript_check import Checker

    if "\n" in devices or "#" in devices:
        raise ValueError("devices are one line, such as `cpu` or `cuda[0]`")
    program = Checker().check("devices", f"devices {devices}\n")
    if program.diagnostics:
        raise ValueError(program.diagnostics[0].message)
    line = _line(program)
    if line is None:
        raise ValueError(f"`{devices}` isn't a device")
    return line[0]


def disagreement(program: Program, devices: str) -> Diagnostic | None:
    """E1006, if the file declares other devices than the ones chosen, which are `normalized`."""
    line = _line(program)
    if line is None or line[0] == devices:
        return None
    return Diagnostic(
        "E1006",
        f"the file declares `devices {line[0]}`, but it is compiled for `{devices}`",
        line[1],
        label=f"not {devices}",
        help=f"compile it without choosing devices, or write `devices {devices}`",
    )


def missing(program: Program, devices: str | None) -> Diagnostic | None:
    """E1005, if neither the file nor a choice says where a standalone module runs."""
    if devices is not None or _line(program) is not None:
        return None
    return Diagnostic(
        "E1005",
        "a standalone build needs to know its devices",
        Span(0, 0),
        label="no devices line",
        help="write `devices cpu` at the top of the file, or build with `--devices cpu`",
    )


def _line(program: Program) -> tuple[str, Span] | None:
    """What a file's `devices` line says, and where it is."""
    from shapescript_check.declarations.devices import devices_text

    for placed in program.file.placed:
        for item in placed.chunk.items:
            if isinstance(item, tree.Devices):
                return devices_text(item), item.span.shifted(placed.start)
    return None
