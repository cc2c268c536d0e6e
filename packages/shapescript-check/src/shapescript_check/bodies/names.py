"""Names and members used as values."""

from __future__ import annotations

from shapescript_check import operations
from shapescript_check.bodies import torch_helps
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import (
    AliasInterface,
    Broken,
    DataInterface,
    DimInterface,
    DomainInterface,
    FileInterface,
    Interface,
    LogsInterface,
    ModelInterface,
    PythonModule,
    Unsupported,
    what_it_is,
)
from shapescript_check.prelude import stub_names
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Local, MakeMode, SizeValue, Typed
from shapescript_check.types.domains import BUILTIN_DOMAINS
from shapescript_check.types.dtypes import DTYPES
from shapescript_check.types.entities import MODE
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import PYTHON, ErrorType, HostType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.suggestions import closest


def type_ident(checker: BodyChecker, syntax: tree.Ident) -> Typed:
    """A name: a value, an axis's or dim's size, or a Python module."""
    name = syntax.name
    known = checker.scope.values.get(name)
    if known is not None:
        if isinstance(known, ErrorType):
            return checker.unresolved(syntax.span)
        return Local(syntax.span, known, name)
    size = checker.scope.axes.get(name)
    if size is not None:
        return size_value(syntax, size)
    found = checker.interface(name)
    if found is None and name == "Eval":
        return MakeMode(syntax.span, MODE, name, None)
    if found is None and name in ("Train", "Sample"):
        checker.report(
            "E0303", syntax.span, f"`{name}` is a mode once it has a seed", help=f"write {name}(seed=0)"
        )
        return checker.unresolved(syntax.span)
    if isinstance(found, DimInterface):
        return size_value(syntax, found.size)
    if isinstance(found, PythonModule):
        return Local(syntax.span, PYTHON, name)
    if isinstance(found, Broken | Unsupported):
        return checker.unresolved(syntax.span)
    if found is None and (name in BUILTIN_DOMAINS or name in DTYPES):
        checker.report(
            "E0303",
            syntax.span,
            f"`{name}` is a {'dtype' if name in DTYPES else 'domain'}, and here a value is needed",
            help=f"it is part of a type: x {'to' if name in DTYPES else 'as'} {name}",
        )
        return checker.unresolved(syntax.span)
    if found is not None or name == "causal" or operations.lookup(name) is not None:
        kind = what_it_is(found) if found is not None else "a built-in operation"
        checker.report(
            "E0303",
            syntax.span,
            f"`{name}` is {kind}, and here a value is needed",
            labels=declared_here(name),
            help=_instead(name, found),
        )
        return checker.unresolved(syntax.span)
    unknown_name(checker, syntax)
    return checker.unresolved(syntax.span)


def size_value(syntax: tree.Ident, size: Size) -> SizeValue:
    """A size as a host int."""
    value = size.as_int()
    low = size.lower_bound()
    infinite = float("inf")
    interval = Interval.point(value) if value is not None else Interval(low or 0, infinite, False, True)
    return SizeValue(syntax.span, HostType("int", interval, size), size)


def declared_here(name: str) -> tuple[Label, ...]:
    """A label at a declaration of the file; nothing is shown for what the file doesn't declare."""
    return (Label(None, "declared here", name),)


def _instead(name: str, found: Interface | None) -> str | None:
    if isinstance(found, DomainInterface):
        return f"a domain is part of a type: x as {name}"
    if isinstance(found, AliasInterface):
        return f"a shape alias is part of a type: x as {name}"
    if name == "causal" and found is None:
        return "causal[n m] is the mask over the axes n and m"
    if isinstance(found, ModelInterface):
        return f"to make one, write {name}.init(seed=0)"
    if isinstance(found, DataInterface):
        return "a batch of it is a parameter, or what a loop over `dataset |> batches(64)` has"
    if isinstance(found, LogsInterface):
        return f"to make one, write {name}(...) with its metrics"
    if isinstance(found, FileInterface):
        return f"name what is in it, as in {name}.NAME"
    return f"call it, as in {name}(x)"


def unknown_name(checker: BodyChecker, syntax: tree.Ident, *, called: bool = False) -> None:
    """Reports E0301 with the nearest name in scope. What is called is no axis that may be missing."""
    if checker.elements and syntax.name in checker.binding:
        checker.report(
            "E2402",
            syntax.span,
            f"`{syntax.name}` is the result that this stage builds, and no element can read another",
            help="for a recurrence, write a loop, which runs in order",
        )
        return
    if checker.incomplete and not called:
        return
    bound = checker.ended.get(syntax.name)
    if bound is not None and bound[0].end <= syntax.span.start:
        message = f"`{syntax.name}` isn't in scope after its block"
        labels = (Label(bound[0], "bound here"),)
        checker.report("E0301", syntax.span, message, labels=labels, help=bound[1])
        return
    written = torch_helps.name_help(syntax.name)
    near = closest(syntax.name, _own_names(checker) if written else every_name(checker))
    help_text = f"did you mean `{near}`?" if near else written
    checker.report("E0301", syntax.span, f"nothing named `{syntax.name}` is in scope", help=help_text)


def _own_names(checker: BodyChecker) -> set[str]:
    """The names that the file and the function have given."""
    declared = checker.read(("names", ""))
    assert isinstance(declared, frozenset)
    return {*checker.scope.values, *checker.scope.axes, *declared}


def every_name(checker: BodyChecker) -> set[str]:
    """Every name that could stand in an expression."""
    return {
        *_own_names(checker),
        *stub_names(),
        *operations.names(),
        "causal",
        "Train",
        "Sample",
        "Eval",
    }
