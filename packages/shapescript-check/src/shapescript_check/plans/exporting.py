"""What an exported function may not do."""

from __future__ import annotations

from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.declarations.keys import is_instance, owner_of
from shapescript_check.plans.devices.summaries import Call, summary
from shapescript_check.plans.files import CheckedFile
from shapescript_syntax.diagnostics import Diagnostic


def calls_of_other_files(file: CheckedFile) -> list[tuple[str, Diagnostic]]:
    """E2306 where an exported function calls one of another file, directly or through others of its own file.

    Returns: diagnostics, each with the function that its span is in.
    """
    found: list[tuple[str, Diagnostic]] = []
    for name, checked in file.bodies().items():
        interface = file.interface(name)
        if not isinstance(interface, FnInterface) or not interface.exported:
            continue
        for call in summary(checked.body).calls:
            foreign = _reached(file, call.name, set())
            if foreign is not None:
                found.append((name, _refusal(interface, call, foreign)))
    return found


def _refusal(function: FnInterface, call: Call, foreign: str) -> Diagnostic:
    leads = "calls" if call.name == foreign else "leads to"
    return Diagnostic(
        "E2306",
        f"`{function.name}` is exported, and this {leads} `{foreign}`, which another file declares",
        call.span,
        notes=("an exported program is made from one file",),
        help="put what it calls into this file, or leave `export` out",
    )


def _reached(file: CheckedFile, name: str, seen: set[str]) -> str | None:
    """The function of another file that a call leads to."""
    if owner_of(name) and not is_instance(name):
        return name
    if name in seen:
        return None
    seen.add(name)
    body = file.interpreted(name)
    calls = summary(body).calls if body is not None else ()
    return next((found for c in calls if (found := _reached(file, c.name, seen)) is not None), None)
