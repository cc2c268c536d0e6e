"""What a statement may be: one function for each built-in operation and each form of the language.

A form is given a chooser and writes an expression, or a statement where it binds several names or is a block. It may
give None where nothing in scope suits it; and what it writes may still be refused by the checker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.property.programs.chooser import Chooser

Writer = Callable[[Chooser], "str | None"]


class Form(NamedTuple):
    """A form by its name, which is the operation's where it is one."""

    name: str
    write: Writer
    elementwise: bool
    """Whether it can stand in an elementwise function."""
    statement: bool
    """Whether what it writes is a whole statement."""


FORMS: dict[str, Form] = {}


def form(
    *names: str, elementwise: bool = False, statement: bool = False
) -> Callable[[Callable[..., str | None]], Callable[..., str | None]]:
    """Registers a function under names. With several, it is given the name too."""

    def register(write: Callable[..., str | None]) -> Callable[..., str | None]:
        for name in names:
            writer: Writer = write if len(names) == 1 else _named(write, name)
            assert name not in FORMS, name
            FORMS[name] = Form(name, writer, elementwise, statement)
        return write

    return register


def _named(write: Callable[..., str | None], name: str) -> Writer:
    return lambda chooser: write(chooser, name)


def load() -> dict[str, Form]:
    """All forms, by name."""
    from tests.property.programs.forms import (  # noqa: F401
        along,
        blocks,
        calling,
        chains,
        claims,
        elementwise,
        hosts,
        indexing,
        indices,
        joining,
        patterns,
        products,
    )

    return FORMS
