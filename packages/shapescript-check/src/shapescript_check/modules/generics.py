"""Generic functions: what a call makes their type variables, and the copy of the function for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shapescript_check.declarations.module import Declared
from shapescript_check.modules.qualifying import Qualifier
from shapescript_check.types.entities import DatasetType, GradType, ModelType, OptimizerType, RecordType
from shapescript_check.types.values import ValueType
from shapescript_syntax import tree
from shapescript_syntax.parsing.files import ParsedChunk
from shapescript_syntax.records import node, replaced, value
from shapescript_syntax.spans import Source, Span

DEEPEST = 16
"""How many levels of generic functions may call each other."""

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
