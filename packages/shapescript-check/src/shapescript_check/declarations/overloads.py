"""Functions that share a name: each takes a model of its own first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from shapescript_check.declarations.entity_types import PLAIN
from shapescript_check.declarations.interfaces import Broken, ModelInterface, OverloadsInterface
from shapescript_check.declarations.keys import version_of
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.types.domains import BUILTIN_DOMAINS
from shapescript_check.types.dtypes import DTYPES
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    from shapescript_check.declarations.interfaces import Interface
    from shapescript_check.declarations.module import Declared

Lookup = Callable[[str], "Interface | None"]

_BUILT_IN = frozenset((*BUILTIN_DOMAINS, *DTYPES, *PLAIN, "int", "float"))
"""Types of one word that no file declares."""


def first_model(item: tree.Item, lookup: Lookup) -> str | None:
    """The model that a function takes first."""
    name = _first_type(item)
    return name if name is not None and isinstance(lookup(name), ModelInterface | Broken) else None


def _first_type(item: tree.Item) -> str | None:
    """The type of a function's first parameter, if it is a name alone."""
    if not isinstance(item, tree.Fn) or not item.parameters or item.parameters[0].type is None:
        return None
    syntax = item.parameters[0].type
    if syntax.shape is not None or len(syntax.words) != 1 or syntax.words[0].argument is not None:
        return None
    return syntax.words[0].name.text


def _undeclared(item: tree.Item, lookup: Lookup) -> str | None:
    """The type of a function's first parameter if nothing has that name, which is reported as what is wrong."""
    name = _first_type(item)
    return name if name is not None and lookup(name) is None and name not in _BUILT_IN else None


def overloads(
    name: str, group: Sequence[Declared], lookup: Lookup, is_generic: Callable[[tree.Item], bool]
) -> tuple[OverloadsInterface | None, dict[str, Declared], list[tuple[int, Reporter]]]:
    """What functions of one name are together: their interface, each by its key, and what is wrong.

    The interface is None where they are no overloads of each other, and the name is merely declared twice.
    """
    models = [first_model(d.item, lookup) for d in group]
    if not any(models):
        return None, {}, []
    models = [m or _undeclared(d.item, lookup) for m, d in zip(models, group, strict=True)]
    taken: dict[str, Declared] = {}
    refused: list[tuple[Declared, str | None]] = []
    for declared, model in zip(group, models, strict=True):
        if model is not None and model not in taken and not is_generic(declared.item):
            taken[model] = declared
        else:
            refused.append((declared, model))
    reports: list[tuple[int, Reporter]] = []
    for declared, model in refused:
        report = Reporter()
        reports.append((declared.start, report))
        assert isinstance(declared.item, tree.Fn | tree.ExternFn)
        other = model if model in taken else next(iter(taken), None)
        key = version_of(name, other) if other is not None else None
        _refuse(report, declared.item, model, is_generic(declared.item), key)
    versions = tuple((model, version_of(name, model)) for model in taken)
    return OverloadsInterface(name, versions), {version_of(name, m): d for m, d in taken.items()}, reports


def _refuse(
    report: Reporter, item: tree.Fn | tree.ExternFn, model: str | None, generic: bool, other: str | None
) -> None:
    name = item.name.text
    if generic:
        why = f"`{name}` is generic, so no other function can have its name"
    elif model is None:
        why = f"functions share the name `{name}` only if each takes a model first, and this one doesn't"
    else:
        why = f"there is another `{name}` that takes `{model}` first, so no call could tell them apart"
    labels = (Label(None, "the other one", other),) if other is not None else ()
    report("E2307", item.name.span, why, labels=labels, help="rename one of them")
