"""Dims and shape aliases: their values and expansions, and the cycles among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapescript_check.declarations.interfaces import (
    AliasInterface,
    Broken,
    DimInterface,
    Interface,
    what_it_is,
)
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.sizes import Size, SizeTooLarge
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


class Dims:
    """The dims of a file, worked out in dependency order, whatever order they are written in."""

    def __init__(self, items: dict[str, tree.Dim], others: Callable[[str], Interface | None]) -> None:
        self.items = items
        self.others = others
        self.done: dict[str, DimInterface | Broken] = {}
        self.reports: dict[str, Reporter] = {}
        self._open: list[str] = []

    def resolve(self) -> dict[str, DimInterface | Broken]:
        """Every dim's interface. Diagnostics are in `reports`, by the dim that they are about."""
        for name in self.items:
            self._value(name)
        return self.done

    def _value(self, name: str) -> DimInterface | Broken:
        if name in self.done:
            return self.done[name]
        if name in self._open:
            self._cycle(self._open[self._open.index(name) :])
            return Broken(name)
        self._open.append(name)
        report = self.reports.setdefault(name, Reporter())
        try:
            value = self._evaluate(self.items[name].value, report)
        except SizeTooLarge:
            report("E0414", self.items[name].value.span, f"the value of `{name}` doesn't fit in 128 bits")
            value = None
        self._open.pop()
        if name not in self.done:
            self.done[name] = self._checked(name, value, report)
        return self.done[name]

    def _checked(self, name: str, value: Size | None, report: Reporter) -> DimInterface | Broken:
        number = value.as_int() if value is not None else None
        if number is None:
            return Broken(name)
        if number < 1:
            report("E0305", self.items[name].value.span, f"`{name}` is {number}, and a dim is at least 1")
            return Broken(name)
        return DimInterface(name, number)

    def _cycle(self, names: list[str]) -> None:
        for name in names:
            if name in self.done:
                continue
            self.done[name] = Broken(name)
            item = self.items[name]
            path = " -> ".join([*names[names.index(name) :], *names[: names.index(name)], name])
            self.reports.setdefault(name, Reporter())(
                "E0304",
                item.name.span,
                f"dim `{name}` is defined in terms of itself",
                notes=(path,) if len(names) > 1 else (),
            )

    def _evaluate(self, syntax: tree.Expr, report: Reporter) -> Size | None:
        if isinstance(syntax, tree.Int):
            return Size.number(syntax.value)
        if isinstance(syntax, tree.Ident):
            return self._named(syntax, report)
        if not isinstance(syntax, tree.Binary):
            return None
        left, right = self._evaluate(syntax.left, report), self._evaluate(syntax.right, report)
        if left is None or right is None:
            return None
        if syntax.op in "+-*":
            return left + right if syntax.op == "+" else left - right if syntax.op == "-" else left * right
        return self._quotient(syntax, left, right, report)

    def _quotient(self, syntax: tree.Binary, left: Size, right: Size, report: Reporter) -> Size | None:
        if right.as_int() == 0:
            message = f"{left.text_with_value()} is divided by 0"
        else:
            quotient = Size.divide(left, right)
            if quotient is not None:
                return quotient
            message = f"{left.text_with_value()} isn't divisible by {right.text_with_value()}"
            message += ", so this is no whole number"
        labels = [
            Label(None, f"`{symbol.name}` is {symbol.value}", symbol.name)
            for symbol in sorted(left.symbols() | right.symbols(), key=lambda s: s.name)
        ]
        report("E0305", syntax.span, message, labels=labels)
        return None

    def _named(self, syntax: tree.Ident, report: Reporter) -> Size | None:
        name = syntax.name
        if name in self.items:
            found = self._value(name)
            return found.size if isinstance(found, DimInterface) else None
        other = self.others(name)
        if isinstance(other, DimInterface):
            return other.size
        if other is not None:
            if not isinstance(other, Broken):
                report(
                    "E0303",
                    syntax.span,
                    f"`{name}` is {what_it_is(other)}, and a dim is made of numbers and dims",
                    labels=(Label(None, "declared here", name),),
                )
            return None
        near = closest(name, self.items)
        report(
            "E0301",
            syntax.span,
            f"no dim is named `{name}`",
            help=f"did you mean `{near}`?" if near else None,
        )
        return None


def alias_cycles(aliases: dict[str, AliasInterface]) -> Iterator[tuple[str, list[str]]]:
    """Each alias that contains itself, with the cycle from it back to it."""
    uses = {name: _names_in(alias.shape) & aliases.keys() for name, alias in aliases.items()}
    for name in aliases:
        path = _path_back(name, uses)
        if path is not None:
            yield name, path


def _names_in(node: object) -> set[str]:
    if isinstance(node, tree.Ident):
        return {node.name}
    if isinstance(node, tree.ShapeExpr | tree.Group):
        return set().union(*(_names_in(a) for a in node.axes))
    return set()


def _path_back(name: str, uses: dict[str, set[str]]) -> list[str] | None:
    stack = [[name, used] for used in sorted(uses[name])]
    seen: set[str] = set()
    while stack:
        path = stack.pop()
        if path[-1] == name:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            stack += [[*path, used] for used in sorted(uses[path[-1]])]
    return None


__all__ = ["Dims", "Span", "alias_cycles"]
