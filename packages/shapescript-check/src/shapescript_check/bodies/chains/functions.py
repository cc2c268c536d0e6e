"""The function of `map` and `filter`: a lambda, or a pipe stage applied to each element."""

from __future__ import annotations

from shapescript_check.bodies.chains.independence import check_independence
from shapescript_check.bodies.chains.sources import element_of
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import DimInterface
from shapescript_check.typed.tree import Iterated, Typed
from shapescript_check.types.domains import Domain, Range
from shapescript_check.types.values import ErrorType, HostType, TensorType
from shapescript_syntax import tree

_LAMBDAS = ("x => ...", "(a, b) => ...", "(a, b, c) => ...")

ELEMENT = "_ss_element"
"""The name of the element where the function is a stage and not a lambda."""


class StageFunction:
    """A typed function of elements: the Python names of its parameters, and its body."""

    __slots__ = ("body", "kinds", "names")

    def __init__(self, names: tuple[str, ...], kinds: tuple[TensorType, ...], body: Typed) -> None:
        self.names = names
        self.kinds = kinds
        self.body = body

    def host_domain(self, kind: HostType) -> Domain:
        """The domain of a host number that becomes a tensor."""
        return Range(kind.interval)


def stage_function(
    checker: BodyChecker, stage: str, function: tree.Expr | None, sources: tuple[Iterated, ...]
) -> StageFunction | None:
    """The typed function of a stage; None once something is reported."""
    assert function is not None
    kinds = tuple(element_of(s) for s in sources)
    if isinstance(function, tree.Lambda):
        names = _parameters(checker, function, kinds, stage)
        if names is None:
            return None
        body = _typed(checker, names, kinds, function.body)
    else:
        if len(kinds) > 1:
            checker.report(
                "E3206",
                function.span,
                f"`{stage}` gets pairs here, and only a lambda takes them apart",
                help=f"write {_LAMBDAS[len(kinds) - 1]}",
            )
            return None
        names = (ELEMENT,)
        element = tree.Ident(function.span, ELEMENT)
        body = _typed(checker, names, kinds, tree.Pipe(function.span, element, function, function.span))
    if isinstance(body.type, ErrorType) or not check_independence(checker, body, frozenset(names)):
        return None
    return StageFunction(names, kinds, body)


def _parameters(
    checker: BodyChecker, function: tree.Lambda, kinds: tuple[TensorType, ...], stage: str
) -> tuple[str, ...] | None:
    if not function.parameters:
        # The parser has said so.
        return None
    if len(function.parameters) != len(kinds):
        takes = "1 parameter" if len(kinds) == 1 else f"{len(kinds)} parameters, one for each part"
        checker.report(
            "E3206",
            function.span,
            f"the lambda of this `{stage}` has {takes}, and {len(function.parameters)} are written",
            help="write x => ..."
            if len(kinds) == 1
            else "write (a, b) => ..."
            if len(kinds) == 2
            else "write (a, b, c) => ...",
        )
        return None
    names: list[str] = []
    for i, parameter in enumerate(function.parameters):
        if isinstance(parameter, tree.Hole):
            names.append(f"_ss_ignored{i}")
            continue
        name = parameter.text
        what = "an axis in scope" if name in checker.scope.axes else None
        if what is None and isinstance(checker.interface(name), DimInterface):
            what = "a dim"
        if name.startswith("_ss_"):
            checker.report("E0303", parameter.span, "names that start with `_ss_` are the compiler's own")
            return None
        if what is not None:
            checker.report("E0303", parameter.span, f"`{name}` is {what}, so no parameter can have its name")
            return None
        if name in names:
            checker.report("E0302", parameter.span, f"two parameters are named `{name}`")
            return None
        names.append(name)
    return tuple(names)


def _typed(
    checker: BodyChecker, names: tuple[str, ...], kinds: tuple[TensorType, ...], body: tree.Expr
) -> Typed:
    before = checker.scope
    checker.scope = before.copy()
    checker.scope.values |= dict(zip(names, kinds, strict=True))
    checker.scope.fixed.difference_update(names)
    around = checker.elements
    checker.elements = around | frozenset(names)
    try:
        return checker.expression(body)
    finally:
        checker.elements = around
        checker.scope = before
