"""Checks the body of a whole function."""

from __future__ import annotations

from shapescript_check.bodies.blocks import returns_surely
from shapescript_check.bodies.checker import BodyChecker, Read
from shapescript_check.bodies.returns import return_value
from shapescript_check.bodies.statements import type_block
from shapescript_check.declarations.interfaces import AnyNumber, FnInterface, ParameterInterface
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Body, Evaluate, Statement, Unresolved
from shapescript_check.types.domains import Range
from shapescript_check.types.entities import CHANGEABLE, is_entity
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import ERROR, NO_RESULT, ErrorType, HostType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.records import value


@value
class Checked:
    """A function's checked body and what was wrong in it, with spans in the function's chunk."""

    body: Body
    diagnostics: tuple[Diagnostic, ...]
    instances: tuple[str, ...] = ()
    """The instances of generic functions that it calls."""


def check_function(item: tree.Fn, interface: FnInterface, text: str, read: Read) -> Checked:
    """Checks one function. A pure function of its chunk's text and of what it reads."""
    report = Reporter()
    checker = BodyChecker(text, read, report, interface)
    for parameter in interface.parameters:
        checker.scope.values[parameter.name] = _parameter_value(parameter)
        if isinstance(parameter.type, CHANGEABLE) and not parameter.mut:
            checker.scope.fixed.add(parameter.name)
    for symbol in interface.generics:
        checker.scope.axes[symbol.name] = Size.of(symbol)
    if isinstance(item.body, tuple):
        statements = type_block(checker, item.body)
        if not _ends_in_mistake(statements):
            _check_returns(item, item.body, interface, report)
    else:
        statements = (return_value(checker, checker.expression(item.body), item.body.span),)
    if "gradient" in text or "value_and_grad" in text:
        from shapescript_check.bodies.differentiation import check_derivatives

        check_derivatives(checker, statements)
    broken = checker.broken or any(d.code.startswith("E") for d in report.diagnostics)
    body = Body(statements, _returned(checker, interface), broken)
    return Checked(body, tuple(report.diagnostics), tuple(checker.instances))


def _parameter_value(parameter: ParameterInterface) -> ValueType:
    kind = parameter.type
    if isinstance(kind, AnyNumber):
        return HostType(kind.kind)
    if isinstance(kind, TensorType):
        return kind
    if isinstance(kind, HostType):
        return kind
    if is_entity(kind):
        return kind
    return kind if isinstance(kind, ErrorType) else ERROR


def _returned(checker: BodyChecker, interface: FnInterface) -> ValueType:
    """The type of what the body returns: the first value's, with a domain that holds all of them."""
    values = checker.returned
    if not values:
        return NO_RESULT
    first = values[0]
    if isinstance(first, TensorType):
        from shapescript_check.bodies.joins import join_domains

        for other in values[1:]:
            if isinstance(other, TensorType):
                first = first.with_domain(join_domains(first.domain, other.domain))
            else:
                first = first.with_domain(Range(Interval.REAL))
    return first


def _ends_in_mistake(statements: tuple[Statement, ...]) -> bool:
    """Whether a body ends in something that may be meant to return a value, and has been reported."""
    last = statements[-1] if statements else None
    return isinstance(last, Evaluate) and isinstance(last.value, Unresolved)


def _check_returns(
    item: tree.Fn, body: tuple[tree.Stmt, ...], interface: FnInterface, report: Reporter
) -> None:
    if item.returns is None or isinstance(interface.returns, ErrorType):
        return
    if any(returns_surely(s) for s in body):
        return
    help_text = "end it with a return"
    if body and isinstance(body[-1], tree.ExprStmt):
        help_text = "write return before its last expression"
    elif body and isinstance(body[-1], tree.If | tree.For):
        help_text = "add a return after the last block"
    report(
        "E0307",
        item.name.span,
        f"`{interface.name}` returns {interface.returns}, and not every path through it returns a value",
        help=help_text,
    )
