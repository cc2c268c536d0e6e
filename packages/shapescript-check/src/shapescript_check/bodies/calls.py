"""Calls: which thing is called, and the rule for it."""

from __future__ import annotations

from shapescript_check import operations
from shapescript_check.bodies import torch_helps
from shapescript_check.bodies.arguments import Matcher, given_arguments
from shapescript_check.bodies.changes import check_change, check_python_change
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.constructors import type_init, type_logs, type_mode, type_sink_method
from shapescript_check.bodies.members import attribute_of, model_itself
from shapescript_check.bodies.names import declared_here, unknown_name
from shapescript_check.bodies.operators import apply
from shapescript_check.bodies.versions import function_for
from shapescript_check.declarations.entity_types import PLAIN, TYPE_NAMES
from shapescript_check.declarations.interfaces import (
    Broken,
    DimInterface,
    FnInterface,
    Interface,
    LogsInterface,
    ModelInterface,
    PythonModule,
    Unsupported,
    what_it_is,
)
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Given, Kind
from shapescript_check.typed.tree import PythonCall, Typed
from shapescript_check.types.domains import BUILTIN_DOMAINS
from shapescript_check.types.dtypes import DTYPES
from shapescript_check.types.entities import ModelType, SinkType
from shapescript_check.types.values import PYTHON, ErrorType, PythonType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.suggestions import closest

_WORDS = TYPE_NAMES.difference(PLAIN)
"""Words of types that an argument may be."""

STAGES = frozenset({"map", "filter", "zip", "enumerate"})


def type_call(checker: BodyChecker, syntax: tree.Call, piped: Given | None = None) -> Typed:
    """A call; `piped` is the input where it is a stage of a pipe."""
    callee = syntax.callee
    if isinstance(callee, tree.Ident):
        return _named_call(checker, syntax, callee, piped)
    if isinstance(callee, tree.ErrorExpr):
        return checker.unresolved(syntax.span)
    if isinstance(callee, tree.Attribute):
        return _member_call(checker, syntax, callee, piped)
    return _call_value(checker, syntax, checker.expression(callee), piped)


def _member_call(
    checker: BodyChecker, syntax: tree.Call, callee: tree.Attribute, piped: Given | None
) -> Typed:
    model = model_itself(checker, callee.value)
    if model is not None:
        if callee.name.text == "init":
            return type_init(checker, syntax, model, given_arguments(syntax, piped))
        return _call_value(checker, syntax, checker.expression(callee), piped)
    if torch_helps.report_foreign(checker, callee):
        return _call_value(checker, syntax, checker.unresolved(callee.span), piped)
    owner = checker.expression(callee.value)
    if isinstance(owner.type, SinkType):
        return type_sink_method(checker, syntax, callee.name, owner, given_arguments(syntax, piped))
    return _call_value(checker, syntax, attribute_of(checker, callee, owner), piped)


def _call_value(checker: BodyChecker, syntax: tree.Call, value: Typed, piped: Given | None) -> Typed:
    if isinstance(value.type, PythonType):
        return _python_call(checker, syntax, value, piped)
    _type_all(checker, syntax, piped)
    if not isinstance(value.type, ErrorType):
        checker.report("E0303", value.span, f"this is {described(value.type)}, which can't be called")
    return checker.unresolved(syntax.span)


def _named_call(checker: BodyChecker, syntax: tree.Call, callee: tree.Ident, piped: Given | None) -> Typed:
    name = callee.name
    known = checker.scope.values.get(name)
    if known is not None:
        if isinstance(known, PythonType):
            return _python_call(checker, syntax, checker.expression(callee), piped)
        _type_all(checker, syntax, piped)
        if not isinstance(known, ErrorType):
            forward = isinstance(known, ModelType) and checker.interface("forward") is not None
            checker.report(
                "E0303",
                callee.span,
                f"`{name}` is a value, and only functions can be called",
                help=f"write forward({name}, x)" if forward else None,
            )
        return checker.unresolved(syntax.span)
    if name in checker.scope.axes:
        _type_all(checker, syntax, piped)
        checker.report("E0303", callee.span, f"`{name}` is an axis, and only functions can be called")
        return checker.unresolved(syntax.span)
    arguments = given_arguments(syntax, piped)
    found = function_for(checker, callee, checker.interface(name), arguments)
    if found is None:
        return _built_in(checker, syntax, callee, arguments)
    return _declared(checker, syntax, callee, found, arguments, piped)


def _declared(
    checker: BodyChecker,
    syntax: tree.Call,
    callee: tree.Ident,
    found: Interface,
    arguments: list[Given],
    piped: Given | None,
) -> Typed:
    if isinstance(found, FnInterface):
        if found.path is not None:
            from shapescript_check.bodies.extern_calls import type_extern_call

            return type_extern_call(checker, syntax, found, arguments)
        from shapescript_check.bodies.function_calls import type_function_call

        return type_function_call(checker, syntax, found, arguments)
    if isinstance(found, PythonModule):
        return _python_call(checker, syntax, checker.expression(callee), piped)
    if isinstance(found, LogsInterface):
        return type_logs(checker, syntax, found, arguments)
    _type_given(checker, arguments)
    if not isinstance(found, Broken | Unsupported):
        checker.report(
            "E0303",
            callee.span,
            f"`{callee.name}` is {what_it_is(found)}, and only functions can be called",
            labels=declared_here(callee.name),
            help=f"to make one, write {callee.name}.init(seed=0)"
            if isinstance(found, ModelInterface)
            else None,
        )
    return checker.unresolved(syntax.span)


def _built_in(checker: BodyChecker, syntax: tree.Call, callee: tree.Ident, arguments: list[Given]) -> Typed:
    name = callee.name
    if name in ("Train", "Sample", "Eval"):
        return type_mode(checker, syntax, arguments)
    operation = operations.lookup(name)
    if operation is None:
        if name not in STAGES:
            _type_of_unknown(checker, name, arguments)
        if name in DTYPES or name in BUILTIN_DOMAINS:
            checker.expression(callee)
        elif name == "causal":
            checker.report(
                "E0406", syntax.span, "`causal` takes two axis names in brackets", help="write causal[n m]"
            )
        elif name in STAGES:
            checker.report(
                "E3204", callee.span, f"`{name}` is a stage of a pipe", help=f"write x |> {name}(...)"
            )
        else:
            unresolved = any(
                isinstance(a.syntax, tree.Ident) and checker.is_unresolved(a.syntax.name) for a in arguments
            )
            # A function of an argument that isn't known may be another file's.
            unknown_name(checker, callee, called=not unresolved)
            # Names that its pattern would have introduced aren't reported as well.
            checker.lost_axes |= any(isinstance(a.syntax, tree.Pattern) for a in arguments)
        return checker.unresolved(syntax.span)
    matcher = Matcher(checker, name, callee.span, operation.of_two)
    filled = matcher.match(operation.parameter_list, arguments)
    if filled is None:
        return checker.unresolved(syntax.span)
    if not _changes_allowed(checker, operation, filled):
        return checker.unresolved(syntax.span)
    return apply(checker, operation, syntax.span, callee.span, filled)


def _changes_allowed(checker: BodyChecker, operation: Operation, filled: dict[str, list[Given]]) -> bool:
    """Whether `mut` stands exactly before what a built-in operation changes."""
    good = True
    passed_on = {p.name for p in operation.parameter_list if p.kind is Kind.ARGUMENTS}
    for name, given in filled.items():
        for each in given if name not in passed_on else ():
            changes = name in operation.changes
            if not changes and each.mut is None:
                continue
            if (
                changes
                and each.typed is None
                and each.syntax is not None
                and not isinstance(each.syntax, tree.Pattern | tree.ShapeExpr)
            ):
                each.typed = checker.expression(each.syntax)
            whose = checker.text(each.syntax.span) if each.syntax is not None and not changes else name
            good &= check_change(checker, operation.name, changes, each, whose)
    return good


def _python_call(checker: BodyChecker, syntax: tree.Call, callee: Typed, piped: Given | None) -> Typed:
    arguments: list[tuple[str | None, Typed]] = []
    good = not isinstance(callee.type, ErrorType)
    for given in given_arguments(syntax, piped):
        if isinstance(given.syntax, tree.Pattern):
            checker.report("E0203", given.span, "a Python function doesn't take a pattern")
            good = False
            continue
        value = given.typed if given.typed is not None else checker.expression(given.syntax)  # type: ignore[arg-type]
        given.typed = value
        good &= not isinstance(value.type, ErrorType) and check_python_change(checker, given)
        name = given.name.text if given.name else None
        if name is not None and any(n == name for n, _ in arguments):
            checker.report("E0406", given.span, f"`{name}` is given twice")
            good = False
        arguments.append((name, value))
    if not good:
        return checker.unresolved(syntax.span)
    return PythonCall(syntax.span, PYTHON, callee, tuple(arguments))


def _type_all(checker: BodyChecker, syntax: tree.Call, piped: Given | None) -> None:
    """Reports what is wrong inside arguments, where the call itself can't be typed."""
    _type_given(checker, given_arguments(syntax, piped))


def _type_of_unknown(checker: BodyChecker, name: str, arguments: list[Given]) -> None:
    """Reports what is wrong inside the arguments of what isn't known: functions, types and the like may be right."""
    if closest(name, STAGES) is None:
        _type_given(checker, [a for a in arguments if not _is_word(checker, a.syntax)])


def _is_word(checker: BodyChecker, syntax: object) -> bool:
    """Whether an argument is a name that is no value's, as functions, models and types are."""
    while isinstance(syntax, tree.Index):
        syntax = syntax.value
    if not isinstance(syntax, tree.Ident) or syntax.name in checker.scope.values:
        return False
    name = syntax.name
    known = checker.interface(name)
    return (known is not None and not isinstance(known, DimInterface)) or (
        name in _WORDS or operations.lookup(name) is not None
    )


def _type_given(checker: BodyChecker, arguments: list[Given]) -> None:
    for given in arguments:
        if given.typed is None and given.syntax is not None and given.name is None:
            if not isinstance(
                given.syntax, tree.Pattern | tree.ShapeExpr | tree.Lambda | tree.ToStage | tree.Hole
            ):
                checker.expression(given.syntax)
