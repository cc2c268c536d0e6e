"""Generic functions: type variables, what a call makes them, and the copy of the function for that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from shapescript_check.declarations.entity_types import OF_MODELS
from shapescript_check.declarations.module import Declared
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.modules.qualifying import Qualifier
from shapescript_check.types.entities import DatasetType, GradType, ModelType, OptimizerType, RecordType
from shapescript_check.types.values import ValueType
from shapescript_syntax import tree
from shapescript_syntax.parsing.files import ParsedChunk
from shapescript_syntax.records import fields_of, node, replaced, value
from shapescript_syntax.spans import Source, Span

DEEPEST = 16
"""How many levels of generic functions may call each other."""

_VARIABLE = re.compile(r"[A-Z][0-9]*")

Declares = Callable[[str], bool]
Ask = Callable[[str, str], object]
"""Answers "rename", what a name of a generic function's file is called by the file that calls the function, and
"declares", whether a name is declared there or built in."""


class Copied:
    """The tree of a generic function with types put in, and what that was made from."""

    __slots__ = ("asked", "chunk", "original")

    def __init__(
        self, original: ParsedChunk, chunk: ParsedChunk, asked: dict[tuple[str, str], object]
    ) -> None:
        self.original = original
        self.chunk = chunk
        self.asked = asked
        """What was asked about names, and the answers."""

    def stands(self, original: ParsedChunk, ask: Ask) -> bool:
        """Whether the same would come out again."""
        return self.original is original and all(ask(*key) == answer for key, answer in self.asked.items())


@node
class Instance:
    """A generic function for the types of a call: its tree with the types put in, and the file that it stands in."""

    key: str
    declared: Declared
    source: Source
    shown: str
    """The file, as diagnostics name it."""

    def place(self, span: Span) -> str:
        """Where a span of it is."""
        line, column = self.source.position(self.declared.start + span.start)
        return f"{self.shown}:{line}:{column}"


@value
class Problem:
    """Why an instance can't be called: E2311 with what it needs, E2312 with what is wrong in it, or E2313."""

    code: str
    message: str
    note: str


# --- type variables ----------------------------------------------------------------------------------------


def type_variables(item: tree.Fn, declares: Declares) -> tuple[str, ...]:
    """The type variables of a function, in the order that its parameters use them."""
    names = _candidates(item)
    return tuple(dict.fromkeys(n for n in names if not declares(n))) if names else ()


@lru_cache(maxsize=1 << 13)
def may_be_generic(item: tree.Fn) -> bool:
    """Whether a function has names that are type variables unless they are declared. Most haven't."""
    return bool(_candidates(item) or _of_result(item))


def _candidates(item: tree.Fn) -> tuple[str, ...]:
    """What are type variables of a function's parameters unless something is declared by those names."""
    types = (p.type for p in item.parameters if p.type is not None)
    return tuple(name.name for syntax in types for name in _variables_in(syntax))


def _of_result(item: tree.Fn) -> tuple[tree.Ident, ...]:
    return tuple(_variables_in(item.returns)) if item.returns is not None else ()


def _variables_in(syntax: tree.TypeExpr) -> Iterator[tree.Ident]:
    if len(syntax.words) != 1:
        return
    (word,) = syntax.words
    if word.qualifier is not None or word.over is not None:
        return
    name = tree.Ident(word.name.span, word.name.text)
    if word.argument is not None:
        if word.name.text not in (*OF_MODELS, "Dataset") or not isinstance(word.argument, tree.Ident):
            return
        name = word.argument
    if _VARIABLE.fullmatch(name.name):
        yield name


def check_variables(item: tree.Fn, declares: Declares, report: Reporter) -> bool:
    """Reports E2309 for a variable that is an axis too, or that only the result has."""
    variables = type_variables(item, declares)
    lost = [n for n in _of_result(item) if not declares(n.name) and n.name not in variables]
    good = not lost
    if not variables and good:
        return True
    shapes = [p.type.shape for p in item.parameters if p.type is not None and p.type.shape is not None]
    for axis in (axis for shape in shapes for axis in _names_in(shape)):
        if axis.name in variables:
            good = False
            report(
                "E2309",
                axis.span,
                f"`{axis.name}` is a type variable of `{item.name.text}`, so it can't name an axis",
                help="give the axis another name, such as n",
            )
    for name in lost:
        report(
            "E2309",
            name.span,
            f"no parameter of `{item.name.text}` has the type variable `{name.name}`, so no call says what it is",
            help=f"use it in a parameter's type, as in m: {name.name}, or write the type",
        )
    return good


def _names_in(thing: object) -> Iterator[tree.Ident]:
    if isinstance(thing, tree.Ident):
        yield thing
    elif type(thing) is tuple:
        for each in thing:
            yield from _names_in(each)
    else:
        for name in fields_of(thing) or ():
            yield from _names_in(getattr(thing, name))


# --- what a call makes them --------------------------------------------------------------------------------


def type_given(syntax: tree.TypeExpr, kind: ValueType, variables: tuple[str, ...]) -> tuple[str, str] | None:
    """The type variable of a parameter, and the name of the type that an argument's type makes it.

    The name is empty for an argument that says nothing of it, and None is for a parameter without a variable.
    """
    if len(syntax.words) != 1:
        return None
    (word,) = syntax.words
    if isinstance(word.argument, tree.Ident) and word.argument.name in variables:
        return word.argument.name, _in_brackets(word.name.text, kind)
    if word.argument is None and word.name.text in variables:
        return word.name.text, _itself(kind, syntax.shape is not None)
    return None


def _in_brackets(word: str, kind: ValueType) -> str:
    match kind:
        case GradType() if word == "Grad":
            return kind.model
        case OptimizerType() if word == kind.kind:
            return kind.model
        case DatasetType() if word == "Dataset":
            return kind.record
    return ""


def _itself(kind: ValueType, has_shape: bool) -> str:
    if isinstance(kind, RecordType):
        return kind.name if bool(kind.axes) == has_shape else ""
    return kind.name if isinstance(kind, ModelType) and not has_shape else ""


# --- the copy ----------------------------------------------------------------------------------------------


def instantiated(
    original: ParsedChunk, item: tree.Fn, types: Mapping[str, str], ask: Ask, owner: str
) -> Copied:
    """The tree of a generic function with types for its variables.

    Arguments:
        original: the declaration's chunk, in the names of its own file.
        item: the declaration.
        types: the types for its variables, as the file that calls it names them.
        ask: answers what names mean.
        owner: what stands before the names of its file.
    """
    asked: dict[tuple[str, str], object] = {}

    def answer(what: str, name: str) -> object:
        key = (what, name)
        if key not in asked:
            asked[key] = ask(*key)
        return asked[key]

    def plain(name: str) -> str:
        return types.get(name) or str(answer("rename", name))

    def called(name: str) -> str:
        return plain(name) if name in types or answer("declares", name) else f"{owner}:{name}"

    qualified = Qualifier(lambda _owner, _name: None, plain, called).item(item)
    copy = replaced(qualified, name=item.name)
    return Copied(original, ParsedChunk(original.text, (copy,), (), ()), asked)
