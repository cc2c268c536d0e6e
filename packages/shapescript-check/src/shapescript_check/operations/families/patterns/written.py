"""Patterns as they are written, with what can be said of them before any operand is looked at."""

from __future__ import annotations

from typing import NoReturn

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import value
from shapescript_syntax.spans import Span


@value
class WrittenPart:
    """A name or a number. `syntax` is what the context resolves a qualified name by."""

    span: Span
    name: str | None
    number: int = 0
    syntax: tree.Attribute | None = None

    @property
    def is_one(self) -> bool:
        return self.name is None and self.number == 1

    def __str__(self) -> str:
        return self.name if self.name is not None else str(self.number)


@value
class WrittenEntry:
    """One axis of a side. `16gh` is the group `(gh 16)`."""

    span: Span
    parts: tuple[WrittenPart, ...]
    grouped: bool

    def __str__(self) -> str:
        text = " ".join(map(str, self.parts))
        return f"({text})" if self.grouped else text


@value
class WrittenSide:
    """One side of a pattern."""

    span: Span
    entries: tuple[WrittenEntry, ...]

    def parts(self) -> tuple[WrittenPart, ...]:
        return tuple(p for e in self.entries for p in e.parts)

    def __str__(self) -> str:
        return " ".join(map(str, self.entries))


@value
class WrittenPattern:
    """A whole pattern."""

    span: Span
    inputs: tuple[WrittenSide, ...]
    output: WrittenSide

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.inputs))} -> {self.output}".strip()


def read_pattern(call: OperationCall, pattern: tree.Pattern) -> WrittenPattern:
    """Reads a pattern. Reports E0407 for a group in a group and for a name that is twice on one side."""
    inputs = tuple(_read_side(call, side) for side in pattern.inputs)
    output = _read_side(call, pattern.output)
    return WrittenPattern(pattern.inputs[0].span.to(pattern.output.span), inputs, output)


def _read_side(call: OperationCall, side: tree.Side) -> WrittenSide:
    entries = []
    seen: dict[str, Span] = {}
    for syntax in side.entries:
        entry = _read_entry(call, syntax)
        entries.append(entry)
        for part in entry.parts:
            if part.name is None:
                continue
            if part.name in seen:
                call.refuse(
                    "E0407",
                    part.span,
                    f"`{part.name}` is twice on this side of the pattern",
                    labels=(Label(seen[part.name], "first here"),),
                    help="give each axis a name of its own, even where their sizes are equal",
                )
            seen[part.name] = part.span
    return WrittenSide(side.span, tuple(entries))


def _read_entry(call: OperationCall, syntax: tree.AxisExpr) -> WrittenEntry:
    if isinstance(syntax, tree.Group):
        parts = tuple(_read_member(call, member, syntax) for member in syntax.axes)
        return WrittenEntry(syntax.span, parts, True)
    if isinstance(syntax, tree.GroupedSize):
        number_span = Span(syntax.span.start, syntax.name.span.start)
        outer = WrittenPart(syntax.name.span, syntax.name.text)
        return WrittenEntry(syntax.span, (outer, _number(call, number_span, syntax.number)), True)
    return WrittenEntry(syntax.span, (_read_part(call, syntax),), False)


def _read_member(call: OperationCall, syntax: tree.AxisExpr, group: tree.Group) -> WrittenPart:
    if isinstance(syntax, tree.Group | tree.GroupedSize):
        _refuse_nesting(call, syntax, group)
    return _read_part(call, syntax)


def _read_part(call: OperationCall, syntax: tree.AxisExpr) -> WrittenPart:
    if isinstance(syntax, tree.Ident):
        return WrittenPart(syntax.span, syntax.name)
    if isinstance(syntax, tree.Int):
        return _number(call, syntax.span, syntax.value)
    if isinstance(syntax, tree.Attribute):
        return WrittenPart(syntax.span, call.context.text(syntax.span), syntax=syntax)
    # What is left has been reported by the parser.
    raise Refused


def _number(call: OperationCall, span: Span, value: int) -> WrittenPart:
    if value == 0:
        call.refuse("E0407", span, "an axis of a pattern has a size of at least 1")
    return WrittenPart(span, None, value)


def _refuse_nesting(call: OperationCall, inner: tree.Group | tree.GroupedSize, group: tree.Group) -> NoReturn:
    call.refuse(
        "E0407",
        inner.span,
        "a group can't be inside another one",
        labels=(Label(group.span, "the group around it"),),
        help=f"write its parts in order in one group: ({' '.join(_flat(group))})",
    )


def _flat(syntax: tree.AxisExpr) -> list[str]:
    if isinstance(syntax, tree.Group):
        return [text for member in syntax.axes for text in _flat(member)]
    if isinstance(syntax, tree.GroupedSize):
        return [syntax.name.text, str(syntax.number)]
    if isinstance(syntax, tree.Ident):
        return [syntax.name]
    return [str(syntax.value)] if isinstance(syntax, tree.Int) else ["..."]
