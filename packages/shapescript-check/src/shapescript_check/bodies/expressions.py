"""Types expressions: one rule per class of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapescript_check.bodies.calls import type_call
from shapescript_check.bodies.casts import type_cast
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.indexing import type_index
from shapescript_check.bodies.members import type_attribute
from shapescript_check.bodies.names import type_ident
from shapescript_check.bodies.operators import type_binary, type_unary
from shapescript_check.bodies.pipes import type_pipe
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Literal, Typed
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import STRING, HostType
from shapescript_syntax import tree

Rule = Callable[[BodyChecker, Any], Typed]


def type_expression(checker: BodyChecker, syntax: tree.Expr | tree.ShapeExpr) -> Typed:
    """The typed form of an expression."""
    return _RULES[type(syntax)](checker, syntax)


def _int(checker: BodyChecker, syntax: tree.Int) -> Typed:
    size = Size.number(syntax.value)
    return Literal(syntax.span, HostType("int", Interval.point(syntax.value), size), syntax.value)


def _float(checker: BodyChecker, syntax: tree.Float) -> Typed:
    return Literal(syntax.span, HostType("float", Interval.point(syntax.value)), syntax.value)


def _inf(checker: BodyChecker, syntax: tree.Inf) -> Typed:
    value = float("inf")
    return Literal(syntax.span, HostType("float", Interval.point(value)), value)


def _bool(checker: BodyChecker, syntax: tree.Bool) -> Typed:
    return Literal(syntax.span, HostType("bool"), syntax.value)


def _string(checker: BodyChecker, syntax: tree.String) -> Typed:
    return Literal(syntax.span, STRING, syntax.value)


def _reported(checker: BodyChecker, syntax: tree.Expr) -> Typed:
    return checker.unresolved(syntax.span)


def _shape(checker: BodyChecker, syntax: tree.ShapeExpr) -> Typed:
    """A shape given to a function of the program that has the name of one that takes shapes, such as `zeros`."""
    checker.report("E0201", syntax.span, "a shape isn't a value", label="a shape")
    return checker.unresolved(syntax.span)


_RULES: dict[type, Rule] = {
    tree.Int: _int,
    tree.Float: _float,
    tree.Inf: _inf,
    tree.Bool: _bool,
    tree.String: _string,
    tree.Ident: type_ident,
    tree.Attribute: type_attribute,
    tree.Unary: type_unary,
    tree.Binary: type_binary,
    tree.Call: type_call,
    tree.Index: type_index,
    tree.Cast: type_cast,
    tree.Pipe: type_pipe,
    tree.Range: _reported,
    tree.Lambda: _reported,
    tree.Hole: _reported,
    tree.ToStage: _reported,
    tree.ErrorExpr: _reported,
    tree.ShapeExpr: _shape,
}
