"""What a generated module declares, as data, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shapescript_check.pymodules.types import PythonType, Vocabulary, annotation
from shapescript_syntax.records import value

_INDENT = "    "


@value
class Documentation:
    """A declaration as written, and its `##` comment or None."""

    declaration: str
    doc: str | None = None


@value
class Parameter:
    """A parameter of a function; `default` is Python, or None where it can't be left out."""

    name: str
    type: PythonType
    default: str | None = None


@value
class Signature:
    """One way to call a function. `keywords` are the parameters that can only be given by name."""

    parameters: tuple[Parameter, ...]
    returns: PythonType
    documentation: tuple[Documentation, ...]
    keywords: tuple[Parameter, ...] = ()
    positional: bool = False
    """Whether `parameters` can't be given by name."""


@value
class Attribute:
    """A dim of the module, or a field of a class."""

    name: str
    type: PythonType
    documentation: Documentation
    value: str | None = None


@value
class Class:
    """A model or a record. A model has an `init`."""

    name: str
    base: str
    attributes: tuple[Attribute, ...]
    documentation: Documentation
    has_init: bool = False


@value
class Function:
    """A function, with more than one signature if it is overloaded."""

    name: str
    signatures: tuple[Signature, ...]


Declaration = Attribute | Class | Function


class Writer:
    """Writes declarations as Python."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.words = vocabulary

    def declaration(self, declared: Declaration) -> Iterator[str]:
        """The lines of one declaration."""
        match declared:
            case Attribute():
                yield from self._attribute(declared, "")
            case Class():
                yield from self._class(declared)
            case Function(signatures=(signature,)):
                yield from self._function(declared.name, signature)
            case Function():
                yield from self._overloaded(declared)

    def _attribute(self, attribute: Attribute, indent: str) -> Iterator[str]:
        given = f" = {attribute.value}" if attribute.value is not None else ""
        yield f"{indent}{attribute.name}: {annotation(attribute.type)}{given}"
        yield from docstring([attribute.documentation], indent)

    def _class(self, declared: Class) -> Iterator[str]:
        yield f"class {declared.name}({declared.base}):"
        yield from docstring([declared.documentation], _INDENT)
        for attribute in declared.attributes:
            yield ""
            yield from self._attribute(attribute, _INDENT)
        if declared.has_init:
            # Inside the class, a field of the class's name would be meant.
            is_field = any(attribute.name == declared.name for attribute in declared.attributes)
            made = self.words.typing("Any") if is_field else f'"{declared.name}"'
            yield ""
            yield f"{_INDENT}@{self.words.builtin('staticmethod')}"
            yield f"{_INDENT}def init(seed: {self.words.builtin('int')}) -> {made}:"
            yield f'{_INDENT * 2}"""A model whose fields are initialized as they are declared, drawn from the seed."""'
            yield self._no_body(_INDENT * 2)

    def _function(self, name: str, signature: Signature) -> Iterator[str]:
        yield from self._head("def", name, [], signature, "")
        yield from docstring(signature.documentation, _INDENT)
        yield self._no_body(_INDENT)

    def _overloaded(self, function: Function) -> Iterator[str]:
        """One place for the name, which is what editors go to, whose type has every way to call it."""
        kind = f"_ss_overloads_{function.name}"
        yield f"class {kind}({self.words.typing('Protocol')}):"
        for number, signature in enumerate(function.signatures):
            if number:
                yield ""
            yield f"{_INDENT}@{self.words.typing('overload')}"
            taken = {p.name for p in (*signature.parameters, *signature.keywords)}
            this = "self" if "self" not in taken else "_ss_self"
            yield from self._head("def", "__call__", [this], signature, _INDENT)
            yield from docstring(signature.documentation, _INDENT * 2)
            yield f"{_INDENT * 2}..."
        yield ""
        yield ""
        yield f"{function.name}: {kind}"
        yield from docstring([d for s in function.signatures for d in s.documentation], "")

    def _head(
        self, word: str, name: str, first: list[str], signature: Signature, indent: str
    ) -> Iterator[str]:
        parameters = [*first, *map(_parameter, signature.parameters)]
        if signature.positional:
            parameters.append("/")
        if signature.keywords:
            parameters += ["*", *map(_parameter, signature.keywords)]
        returns = f" -> {annotation(signature.returns)}:"
        line = f"{indent}{word} {name}({', '.join(parameters)}){returns}"
        if len(line) <= 88:
            yield line
            return
        yield f"{indent}{word} {name}("
        yield from (f"{indent}{_INDENT}{parameter}," for parameter in parameters)
        yield f"{indent}){returns}"

    def _no_body(self, indent: str) -> str:
        """A body that type checkers take for any result."""
        return f"{indent}raise {self.words.builtin('NotImplementedError')}"


def _parameter(parameter: Parameter) -> str:
    text = f"{parameter.name}: {annotation(parameter.type)}"
    return text if parameter.default is None else f"{text} = {parameter.default}"


def docstring(documented: Iterable[Documentation], indent: str) -> Iterator[str]:
    """The lines of a docstring. The declarations are fenced, as the Markdown that editors show docstrings as has it."""
    entries = list(documented)
    parts = [f"```shapescript\n{each.declaration}\n```" for each in entries]
    parts = [
        part + (f"\n\n{each.doc}" if each.doc else "") for part, each in zip(parts, entries, strict=True)
    ]
    yield f'{indent}"""'
    for line in "\n\n".join(parts).split("\n"):
        yield f"{indent}{_escaped(line)}" if line else ""
    yield f'{indent}"""'


def _escaped(line: str) -> str:
    """A line inside a string between triple quotes."""
    line = line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return "".join(
        c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode("ascii") for c in line
    )
