"""Types that are no tensor types: models, records, gradients, optimizer state, datasets, modes, sinks, schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.declarations.interfaces import (
    Broken,
    DataInterface,
    Interface,
    LogsInterface,
    ModelInterface,
    what_it_is,
)
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import BUILTIN_DOMAINS
from shapescript_check.types.dtypes import DTYPES
from shapescript_check.types.entities import (
    MODE,
    SCHEDULE,
    SINK,
    DatasetType,
    Entity,
    GradType,
    LogsType,
    ModelType,
    OptimizerType,
    RecordType,
)
from shapescript_check.types.values import ERROR, ErrorType
from shapescript_syntax import tree
from shapescript_syntax.suggestions import closest

if TYPE_CHECKING:
    from shapescript_check.declarations.types import TypeResolver

PLAIN: dict[str, Entity] = {"Mode": MODE, "Schedule": SCHEDULE, "LogSink": SINK}
"""Built-in types of one word."""

OF_MODELS = ("Grad", "AdamW", "SGD")
"""Built-in types with a model in brackets."""

ALONE = (*PLAIN, *OF_MODELS, "Dataset")
"""Built-in types that stand without a shape."""

TYPE_NAMES = frozenset((*BUILTIN_DOMAINS, *DTYPES, *ALONE, "int", "float"))
"""Every built-in name that a type is written with."""

RECORDS = (ModelInterface, DataInterface, LogsInterface)


def entity_type(
    resolver: TypeResolver, syntax: tree.TypeExpr, axes: Axes | None, words: list[tree.TypeWord]
) -> Entity | ErrorType | None:
    """The type that the words name, if it is no tensor type; None if it is one."""
    if not words or words[0].qualifier is not None:
        return None
    word = words[0]
    found = resolver.scope.interface(word.name.text)
    if not _names_entity(word, found):
        return None
    made = _entity(resolver, word, found, axes)
    if isinstance(made, ErrorType):
        return made
    if len(words) > 1 or (axes is not None and not isinstance(made, RecordType)):
        shaped = axes is not None and not isinstance(made, RecordType)
        why = "has no shape" if shaped else f"takes no `{words[1].name.text}`"
        resolver.report("E0303", syntax.span, f"{made} is a type of its own, which {why}")
        return ERROR
    return made


def _names_entity(word: tree.TypeWord, found: Interface | None) -> bool:
    if found is not None:
        return isinstance(found, RECORDS)
    return word.name.text in ALONE


def _entity(
    resolver: TypeResolver, word: tree.TypeWord, found: Interface | None, axes: Axes | None
) -> Entity | ErrorType:
    name = word.name.text
    if word.over is not None:
        resolver.report("E0303", word.span, f"`{name}` doesn't take `over`")
        return ERROR
    if found is None and name in OF_MODELS:
        model = _named(resolver, word, ModelInterface, "a model")
        if model is None:
            return ERROR
        return GradType(model) if name == "Grad" else OptimizerType(name, model)
    if found is None and name == "Dataset":
        record = _named(resolver, word, DataInterface, "a data record")
        return DatasetType(record) if record is not None else ERROR
    if word.argument is not None:
        resolver.report("E0303", word.span, f"`{name}` doesn't take anything in brackets")
        return ERROR
    if isinstance(found, ModelInterface):
        return ModelType(name)
    if isinstance(found, DataInterface):
        return RecordType(name, axes or ())
    return LogsType(name) if isinstance(found, LogsInterface) else PLAIN[name]


def _named(resolver: TypeResolver, word: tree.TypeWord, kind: type, what: str) -> str | None:
    """The name in brackets, which has to be of a model or a data record."""
    name = word.name.text
    argument = word.argument
    if isinstance(argument, tree.Ident):
        found = resolver.scope.interface(argument.name)
        if isinstance(found, kind):
            return argument.name
        if isinstance(found, Broken):
            return None
        if found is not None:
            is_what = f"`{argument.name}` is {what_it_is(found)}"
        elif argument.name in TYPE_NAMES:
            is_what = f"`{argument.name}` is a type of its own"
        else:
            is_what = f"nothing named `{argument.name}` is declared"
        near = closest(argument.name, [n for n, k in resolver.scope.type_names() if k is kind])
        resolver.report(
            "E0303",
            argument.span,
            f"`{name}` takes {what} in its brackets, and {is_what}",
            help=f"did you mean `{near}`?" if near else None,
        )
        return None
    declared = (n for n, k in resolver.scope.type_names() if k is kind)
    example = min(declared, default="Mlp" if what == "a model" else "Digit")
    resolver.report(
        "E0303", word.span, f"`{name}` takes {what} in its brackets", help=f"write {name}[{example}]"
    )
    return None
