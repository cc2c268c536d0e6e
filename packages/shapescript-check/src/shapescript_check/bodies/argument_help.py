"""Calls as they would be right: what to write for an axis that isn't named, or is given by position."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations.parameters import Given, Parameter, position_of
from shapescript_check.types.axes import named
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree


def with_axis(checker: BodyChecker, name: str, parameter: Parameter, arguments: Sequence[Given]) -> str:
    """The call with an axis named: the last one of the first operand, where that is known, or a new one."""
    names = _axes_of_first(checker, arguments)
    axis = "k" if parameter.new else names[-1] if names else "D"
    return call_text(checker, name, arguments, f"{parameter.name}={axis}")


def call_text(checker: BodyChecker, name: str, arguments: Sequence[Given], *more: str) -> str:
    """A call with the arguments that are written, in a pipe those of the stage."""
    written = [_text(checker, a) for a in arguments if a.syntax is not None]
    return f"{name}({', '.join([*written, *more])})"


def by_name(checker: BodyChecker, parameter: str, extra: Given, arguments: Sequence[Given]) -> str:
    """How an argument that is one too many is given by name."""
    value = extra.syntax
    names = _axes_of_first(checker, arguments)
    if parameter == "over" and isinstance(value, tree.Ident) and checker.axis_size(value.name) is not None:
        return f"over={value.name}"
    if (
        parameter == "over"
        and (at := position_of(value)) is not None
        and names
        and -len(names) <= at < len(names)
    ):
        return f"over={names[at]}"
    return f"{parameter}=..."


def _text(checker: BodyChecker, argument: Given) -> str:
    assert argument.syntax is not None
    value = checker.text(argument.syntax.span)
    return f"{argument.name.text}={value}" if argument.name is not None else value


def _axes_of_first(checker: BodyChecker, arguments: Sequence[Given]) -> list[str]:
    """The names of the axes of the first operand that is known without typing it, if all of them have one."""
    for argument in arguments:
        kind = argument.typed.type if argument.typed is not None else None
        if kind is None and isinstance(argument.syntax, tree.Ident):
            kind = checker.scope.values.get(argument.syntax.name)
        if isinstance(kind, TensorType) and kind.axes:
            names = list(named(kind.axes))
            return names if len(names) == len(kind.axes) else []
    return []
