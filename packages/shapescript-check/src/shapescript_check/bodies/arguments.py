"""Matching the arguments of a call to parameters, for functions and built-in operations alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapescript_check.bodies import torch_helps
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations import axis_words
from shapescript_check.operations.parameters import ANY_NUMBER, Given, Kind, Parameter
from shapescript_check.types.axes import Axes, named
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


def given_arguments(call: tree.Call, piped: Given | None) -> list[Given]:
    """The arguments of a call in order, with a pipe's input first or where its `_` is."""
    arguments = [Given(a.span, a.name, a.value, None, a.mut) for a in call.arguments]
    if piped is None:
        return arguments
    for argument in arguments:
        if isinstance(argument.syntax, tree.Hole):
            argument.syntax, argument.typed, argument.span = None, piped.typed, piped.span
            return arguments
    return [piped, *arguments]


class Matcher:
    """Fills parameters from arguments. Reports E0406 for what doesn't fit.

    `of_two` is the function of two tensors that may be meant where one is taken.
    """

    def __init__(self, checker: BodyChecker, name: str, span: Span, of_two: str | None = None) -> None:
        self.of_two = of_two
        self.checker = checker
        self.name = name
        self.span = span
        self.good = True
        self.arguments: list[Given] = []

    def report(self, span: Span, message: str, help: str | None = None) -> None:
        self.good = False
        self.checker.report("E0406", span, message, help=help)

    def match(
        self, parameters: Sequence[Parameter], arguments: Iterable[Given]
    ) -> dict[str, list[Given]] | None:
        """What is given for each parameter; None once something is reported."""
        arguments = list(arguments)
        if any(isinstance(a.syntax, tree.ErrorExpr) for a in arguments):
            self.checker.lost_axes |= any(p.kind in (Kind.PATTERN, Kind.NEW_AXIS) for p in parameters)
            return None
        self.arguments = arguments
        filled: dict[str, list[Given]] = {}
        by_name = {p.name: p for p in parameters}
        positional = [p for p in parameters if not p.keyword_only and p.kind is not Kind.SIZES]
        sizes = next((p for p in parameters if p.kind in (Kind.SIZES, Kind.ARGUMENTS)), None)
        more: list[Given] = []
        at = 0
        for argument in arguments:
            if argument.name is not None:
                self._named(argument, by_name, sizes, filled)
            elif isinstance(argument.syntax, tree.Pattern):
                self._pattern(argument, by_name, filled)
            elif at < len(positional):
                parameter = positional[at]
                filled.setdefault(parameter.name, []).append(argument)
                at += parameter.kind not in ANY_NUMBER
            else:
                more.append(argument)
            at = _skip_patterns(positional, at)
        if more:
            count = "this is one more" if len(more) == 1 else f"these are {len(more)} more"
            self.report(
                more[0].span.to(more[-1].span),
                f"`{self.name}` takes {_count(len(positional))}, and {count}",
                self._keyword_help(parameters, filled, more[0]),
            )
        self._missing(parameters, filled)
        return filled if self.good else None

    def _named(
        self,
        argument: Given,
        by_name: dict[str, Parameter],
        sizes: Parameter | None,
        filled: dict[str, list[Given]],
    ) -> None:
        assert argument.name is not None
        name = argument.name.text
        parameter = by_name.get(name)
        if parameter is None or parameter.kind in (*ANY_NUMBER, Kind.PATTERN, Kind.SIZES):
            if sizes is not None:
                filled.setdefault(sizes.name, []).append(argument)
                return
            near = closest(name, by_name)
            foreign = self._foreign(name, argument, by_name)
            self.report(
                argument.name.span,
                f"`{self.name}` has no parameter `{name}`",
                foreign
                or (f"did you mean `{near}`?" if near else torch_helps.keyword_help(name) or _known(by_name)),
            )
        elif name in filled:
            self.report(argument.span, f"`{name}` is given twice")
        else:
            filled[name] = [argument]

    def _pattern(
        self, argument: Given, by_name: dict[str, Parameter], filled: dict[str, list[Given]]
    ) -> None:
        parameter = next((p for p in by_name.values() if p.kind is Kind.PATTERN), None)
        if parameter is None:
            self.good = False
            self.checker.report(
                "E0203",
                argument.span,
                f"`{self.name}` doesn't take a pattern",
                help="patterns belong in rearrange, reduce, repeat, einsum and split",
            )
        else:
            filled.setdefault(parameter.name, []).append(argument)

    def _missing(self, parameters: Sequence[Parameter], filled: dict[str, list[Given]]) -> None:
        if not self.good:
            return
        for parameter in parameters:
            if parameter.name in filled or parameter.optional or parameter.kind in _NEVER_MISSING:
                continue
            if parameter.mode:
                self.good = False
                self.checker.report(
                    "E1201",
                    self.span,
                    f"`{self.name}` needs a mode, which says whether it trains and where its random numbers come from",
                    help=f"pass {parameter.name}=Train(seed=0) to train, Eval to evaluate, or Sample(seed=0) to draw "
                    "without training",
                )
            elif parameter.kind is Kind.AXIS:
                self.report(
                    self.span,
                    f"`{self.name}` needs the axis to work along",
                    axis_words.any_axis(self.checker, self._axes(), parameter.name)
                    or f"name it, as in {self.name}(x, {parameter.name}=D)",
                )
            elif parameter.kind is Kind.NEW_AXIS:
                self.report(
                    self.span,
                    f"`{self.name}` needs a name for the axis that it makes",
                    f"write a new one, as in {parameter.name}=k",
                )
            else:
                self.good = False
                self.checker.report(
                    "E0406",
                    self.span,
                    f"`{self.name}` needs `{parameter.name}`, which isn't given",
                    labels=(Label(None, "the parameter is declared here", self.name, f":{parameter.name}"),),
                )

    def _keyword_help(
        self, parameters: Sequence[Parameter], filled: dict[str, list[Given]], argument: Given
    ) -> str | None:
        """For an argument that no position takes: how the first parameter that only a name reaches is given."""
        left = [p for p in parameters if p.keyword_only and p.name not in filled and p.kind is not Kind.SIZES]
        if not left:
            return None
        name = left[0].name
        if left[0].kind is not Kind.AXIS:
            return f"`{name}` is given by name: {name}=..."
        axes = self._axes()
        if isinstance(argument.syntax, tree.Ident) and argument.syntax.name in named(axes):
            return f"the axis is given by name: {name}={argument.syntax.name}"
        if self.of_two is not None and not isinstance(argument.syntax, tree.Int | tree.Unary):
            return f"of two values, write {self.of_two}(x, y)"
        help = axis_words.meant_axis(self.checker, axes, argument.syntax, name)
        return help or f"`{name}` is given by name: {name}=..."

    def _foreign(self, name: str, argument: Given, by_name: dict[str, Parameter]) -> str | None:
        """For PyTorch's words for what `over=` says."""
        over = next((p.name for p in by_name.values() if p.kind is Kind.AXIS), None)
        if over is None:
            return None
        if name in ("axis", "axes", "dims"):
            return axis_words.meant_axis(self.checker, self._axes(), argument.syntax, over)
        if name in ("keepdim", "keepdims"):
            return (
                "axes line up by name, which seldom needs one of size 1; rearrange can add it, as in n -> n 1"
            )
        return None

    def _axes(self) -> Axes:
        """The axes of the first argument, as far as they can be told."""
        first = next((a for a in self.arguments if a.name is None), None)
        if first is None or isinstance(first.syntax, tree.Pattern | tree.ShapeExpr):
            return ()
        typed = first.typed
        if typed is None and first.syntax is not None:
            with self.checker.silently():
                typed = self.checker.expression(first.syntax)
        kind = typed.type if typed is not None else None
        return kind.axes or () if isinstance(kind, TensorType) else ()


def _skip_patterns(positional: Sequence[Parameter], at: int) -> int:
    while at < len(positional) and positional[at].kind is Kind.PATTERN:
        at += 1
    return at


def _known(by_name: dict[str, Parameter]) -> str | None:
    """What can be given by name, and whether more can be given by position."""
    named = ", ".join(n for n, p in by_name.items() if p.kind not in ANY_NUMBER)
    kinds = [p.kind for p in by_name.values()]
    more = "values" if Kind.VALUES in kinds else "types" if Kind.TYPES in kinds else None
    if not named:
        return f"it takes {more} by position" if more else None
    return f"its parameters are {named}, and {more} by position" if more else f"its parameters are {named}"


def _count(n: int) -> str:
    return "no arguments" if n == 0 else "1 argument" if n == 1 else f"{n} arguments"


_NEVER_MISSING = (Kind.SIZES, Kind.PATTERN, Kind.ARGUMENTS)
