"""What a check found, in a form that the specification and fresh checks can be compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shapescript_check.program import Program
from shapescript_check.typed import tree as typed
from shapescript_check.types.values import ResultsType
from shapescript_syntax.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Valued:
    """A statement that binds or returns something: its first and last line, and the type as it is shown."""

    first: int
    last: int
    type: str


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that a check says about a program."""

    diagnostics: tuple[Diagnostic, ...]
    values: tuple[Valued, ...]


def observe(program: Program) -> Observed:
    """What was found in a program."""
    return Observed(program.diagnostics, tuple(_values(program)))


def _values(program: Program) -> Iterator[Valued]:
    for name, checked in program.bodies.items():
        start = program.scope.functions[name].start
        for statement in _statements(checked.body.statements):
            value = statement.value
            if value is None or isinstance(statement, typed.Evaluate):
                continue
            span = statement.span.shifted(start)
            first = program.source.position(span.start).line
            last = program.source.position(max(span.start, span.end - 1)).line
            kind = value.type
            items = kind.items if isinstance(kind, ResultsType) else (kind,)
            yield Valued(first, last, ", ".join(str(item) for item in items))


def _statements(
    statements: tuple[typed.Statement, ...],
) -> Iterator[typed.BindTo | typed.Evaluate | typed.ReturnValue | typed.SetField]:
    for statement in statements:
        if isinstance(statement, typed.CountLoop | typed.EachLoop | typed.BatchLoop):
            yield from _statements(statement.body)
        elif isinstance(statement, typed.Branch):
            yield from _statements(statement.body)
            yield from _statements(statement.orelse or ())
        else:
            yield statement
