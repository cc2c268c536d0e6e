"""A function while it is being written: statements are added one at a time, each typed by the checker itself.

Only what is new is checked: a statement that the checker refuses leaves no trace, and one that it accepts has the
types that it gives. So what is drawn next can be drawn to fit, and a finished function is one that checks.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.statements import type_block
from shapescript_check.checking.check import Check
from shapescript_check.checking.kept import Kept
from shapescript_check.declarations.interfaces import (
    AliasInterface,
    AnyNumber,
    DimInterface,
    DomainInterface,
    FnInterface,
)
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.sizes import Size
from shapescript_check.types.values import ErrorType, HostType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.parsing.files import parse_chunk, parse_file
from shapescript_syntax.spans import Source


class Counts:
    """How often statements were tried and accepted, and which forms were used."""

    def __init__(self) -> None:
        self.tried = 0
        self.accepted = 0
        self.forms: dict[str, int] = {}
        self.refusals: dict[str, list[str]] = {}
        """By form and code, the last few statements that the checker refused, to see what a form gets wrong."""

    def count(self, form: str, statement: str, refused: list[Diagnostic]) -> None:
        """Counts a statement that was tried."""
        self.tried += 1
        if refused:
            texts = self.refusals.setdefault(f"{form} {refused[0].code}", [])
            texts[:] = [*texts[-4:], f"{statement}   # {refused[0].message}"]
        else:
            self.accepted += 1
            self.forms[form] = self.forms.get(form, 0) + 1


class Draft:
    """One function of a program.

    Args:
        name: its name.
        before: the text of the declarations before it, which it may use.
        rng: where choices come from.
        counts: where attempts are counted.
        elementwise: whether its parameters have no shapes.
    """

    def __init__(
        self, name: str, before: str, rng: random.Random, counts: Counts, *, elementwise: bool = False
    ) -> None:
        self.name = name
        self.before = before
        self.rng = rng
        self.counts = counts
        self.elementwise = elementwise
        self.parameters: list[tuple[str, str]] = []
        self._declared: dict[str, ValueType] = {}
        self.lines: list[str] = []
        self.report = Reporter()
        self._kept = Kept()
        self.check = self._checked("")
        self.interface = FnInterface(name, (), None)
        self.checker = BodyChecker("", self._read, self.report, self.interface)
        self.indent = 1
        self._numbered = 0
        self.last_refused: list[Diagnostic] = []

    # --- what the checker reads ---

    def _checked(self, parameters: str) -> Check:
        """A check of what is before the function, and of the function without its body."""
        text = f"{self.before}fn {self.name}({parameters}) = 0\n"
        check = Check(parse_file(Source("program.ss", text), self._kept.chunks), self._kept, hints=False)
        check.run()
        return check

    def _read(self, key: Hashable) -> object:
        return self.check.read(key)

    # --- what there is to choose from ---

    @property
    def values(self) -> dict[str, ValueType]:
        """The values in scope."""
        return self.checker.scope.values

    @property
    def axes(self) -> dict[str, Size]:
        """The axis names in scope: generic ones, and those that patterns and `stack` brought."""
        return self.checker.scope.axes

    @property
    def dims(self) -> dict[str, int]:
        found = self.check.interfaces().values()
        return {i.name: i.value for i in found if isinstance(i, DimInterface)}

    @property
    def domains(self) -> list[DomainInterface]:
        return [i for i in self.check.interfaces().values() if isinstance(i, DomainInterface)]

    @property
    def aliases(self) -> list[str]:
        """The names of shape aliases."""
        return [i.name for i in self.check.interfaces().values() if isinstance(i, AliasInterface)]

    @property
    def callees(self) -> list[FnInterface]:
        """The program's functions and extern functions."""
        return [
            i for n, i in self.check.interfaces().items() if isinstance(i, FnInterface) and n != self.name
        ]

    # --- growing it ---

    def fresh(self, prefix: str) -> str:
        """A name that nothing in the function has."""
        self._numbered += 1
        return f"{prefix}{self._numbered}"

    def add_parameter(self, text: str, default: str | None = None) -> str | None:
        """Adds a parameter of a type written as in the source, or with a default only; None where it is refused."""
        name = self.fresh("p")
        written = f"{name}: {text}" if text else name
        written += f" = {default}" if default else ""
        parameters = ", ".join([*(w for _, w in self.parameters), written])
        check = self._checked(parameters)
        refused = [*check.file.placed[-1].chunk.diagnostics, *check.signature(self.name)[1]]
        interface = check.interface(self.name)
        assert isinstance(interface, FnInterface)
        if refused:
            self.counts.count("parameter", written, refused)
            return None
        if any(s.name in self.axes and s not in self.interface.generics for s in interface.generics):
            return None  # the name of an axis that a pattern has brought would now be the signature's
        self.parameters.append((name, written))
        self.check = check
        self.interface = self.checker.function = interface
        kind = interface.parameters[-1].type
        assert not isinstance(kind, ErrorType)
        self._declared[name] = HostType(kind.kind) if isinstance(kind, AnyNumber) else kind  # type: ignore[assignment]
        self.declare_parameters()
        return name

    def declare_parameters(self) -> None:
        """Brings parameters that were added inside a block, and their axes, into scope."""
        for name, kind in self._declared.items():
            self.values.setdefault(name, kind)
        for symbol in self.interface.generics:
            self.axes.setdefault(symbol.name, Size.of(symbol))

    def attempt(self, text: str, form: str) -> bool:
        """Adds a statement, which may be a whole block, if the checker accepts it."""
        indented = "".join(f"{'    ' * self.indent}{line}\n" for line in text.splitlines())
        refused = self._type(text)
        self.last_refused = refused
        self.counts.count(form, text, refused)
        if refused:
            return False
        self.lines.append(indented)
        return True

    def _type(self, text: str) -> list[Diagnostic]:
        """Types a statement in the scope there is; leaves it as it was, and says why, if it is refused."""
        indented = "".join(f"    {line}\n" for line in text.splitlines())
        chunk = parse_chunk(f"fn {self.name}():\n{indented}")
        if chunk.diagnostics:
            return list(chunk.diagnostics)
        (item,) = chunk.items
        assert isinstance(item, tree.Fn)
        assert isinstance(item.body, tuple)
        before, found = self.checker.scope, len(self.report.diagnostics)
        self.checker.scope = before.copy()
        self.checker.source = chunk.text
        type_block(self.checker, item.body)
        refused = [d for d in self.report.take_back(found) if d.severity == "error"]
        if refused:
            self.checker.scope = before
            self.checker.lost_axes = False
        return refused

    def type_of(self, expression: str) -> ValueType | None:
        """The type of an expression in the scope there is; None where it is refused."""
        name = self.fresh("e")
        before = self.checker.scope
        refused = self._type(f"{name} = {expression}")
        kind = None if refused else self.values[name]
        self.checker.scope = before
        return kind

    @contextmanager
    def block(self) -> Iterator[list[str]]:
        """A block in which statements are tried. Its lines are collected, and the scope is put back after it."""
        lines, scope, indent = self.lines, self.checker.scope, self.indent
        self.lines, self.checker.scope, self.indent = [], scope.copy(), 1
        try:
            yield self.lines
        finally:
            self.lines, self.checker.scope, self.indent = lines, scope, indent
            self.declare_parameters()

    def text(self, returns: str | None = None) -> str:
        """The function's text."""
        parameters = ", ".join(written for _, written in self.parameters)
        arrow = f" -> {returns}" if returns else ""
        return f"fn {self.name}({parameters}){arrow}:\n{''.join(self.lines)}"


def tensors(draft: Draft) -> list[tuple[str, TensorType]]:
    """The tensors in scope, by name."""
    return [(n, k) for n, k in draft.values.items() if isinstance(k, TensorType)]
