"""Processes that a program starts with multiprocessing, which can import .ss files as the program can.

A child that isn't a fork is a fresh interpreter: it imports the program's main module, or what it is given, before any
code of ours runs. But first of all it unpickles a dict of what its process should look like. Something in that dict
whose unpickling installs the import hook is there in time.
"""

from __future__ import annotations

from typing import Any

from shapescript import importing


class _Hook:
    """What installs the import hook when it is unpickled, with the modes that it has where it was pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return importing.install, tuple(importing.modes())


def reach() -> None:
    """Gives processes that start from now on the import hook, as long as this process has it."""
    from multiprocessing import spawn

    usual = spawn.get_preparation_data

    def preparation_data(name: str) -> dict[str, Any]:
        found = usual(name)
        if importing.is_installed():
            found["shapescript"] = _Hook()
        return found

    spawn.get_preparation_data = preparation_data
