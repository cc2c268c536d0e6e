"""Types statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapescript_check.bodies.changes import is_mut_parameter, may_be_fixed, type_set_field
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.returns import type_return
from shapescript_check.declarations.interfaces import DimInterface
from shapescript_check.typed.tree import BindTo, Evaluate, Statement, Typed
from shapescript_check.types.values import ERROR, ErrorType, NoResult, ResultsType, ValueType
from shapescript_syntax import tree

Rule = Callable[[BodyChecker, Any], "Statement | None"]


def type_block(checker: BodyChecker, statements: tuple[tree.Stmt, ...]) -> tuple[Statement, ...]:
    """The typed statements of a block, in the scope that the checker has now."""
    typed = []
    for statement in statements:
        result = _RULES[type(statement)](checker, statement)
        if result is not None:
            typed.append(result)
    return tuple(typed)


def _bind(checker: BodyChecker, syntax: tree.Bind) -> Statement:
    names = tuple([n.text for n in syntax.names])
    if isinstance(syntax.value, tree.ErrorExpr):
        return _bind_broken(checker, syntax, names)
    before = checker.binding
    checker.binding = frozenset([n for n in names if n not in checker.scope.values])
    value = checker.expression(syntax.value)
    checker.binding = before
    kind = value.type
    fixed = may_be_fixed(checker, value)
    if len(names) == 1:
        bind_name(checker, syntax.names[0], _single(checker, syntax, value))
        checker.scope.fixed.discard(names[0])
        if fixed:
            checker.scope.fixed.add(names[0])
    else:
        _bind_results(checker, syntax, kind)
        checker.scope.fixed.difference_update(names)
    return BindTo(syntax.span, names, value)


def _bind_broken(checker: BodyChecker, syntax: tree.Bind, names: tuple[str, ...]) -> Statement:
    """A binding that couldn't be read, or something like one: nothing is said of its names."""
    for name in names:
        known = name in checker.scope.axes or isinstance(checker.interface(name), DimInterface)
        if not known and not is_mut_parameter(checker, name):
            checker.scope.values[name] = ERROR
    return BindTo(syntax.span, names, checker.unresolved(syntax.value.span))


def _single(checker: BodyChecker, syntax: tree.Bind, value: Typed) -> ValueType:
    kind = value.type
    if isinstance(kind, ResultsType):
        names = ", ".join(f"{syntax.names[0].text}{i}" for i in range(1, len(kind.items) + 1))
        checker.report(
            "E0411",
            syntax.names[0].span,
            f"this gives {len(kind.items)} results, and they are bound to 1 name",
            help=f"name them all: {names} = ...",
        )
        return ERROR
    if isinstance(kind, NoResult):
        checker.report("E0412", value.span, "this call has no result to bind a name to")
        return ERROR
    return kind


def _bind_results(checker: BodyChecker, syntax: tree.Bind, kind: ValueType) -> None:
    items: tuple[ValueType, ...] = ()
    if isinstance(kind, ResultsType):
        items = kind.items
        if len(items) != len(syntax.names):
            checker.report(
                "E0411",
                syntax.names[0].span.to(syntax.names[-1].span),
                f"this gives {len(items)} results, and they are bound to {len(syntax.names)} names",
            )
            items = ()
    elif not isinstance(kind, ErrorType):
        checker.report(
            "E0411",
            syntax.names[0].span.to(syntax.names[-1].span),
            f"this gives one value, and it is bound to {len(syntax.names)} names",
        )
    if not items:
        items = (ERROR,) * len(syntax.names)
    for name, item in zip(syntax.names, items, strict=True):
        bind_name(checker, name, item)


def bind_name(checker: BodyChecker, name: tree.Name, kind: ValueType) -> None:
    """Binds a value, unless the name is an axis's or a dim's."""
    text = name.text
    if text == "_":
        return
    what = None
    if text in checker.scope.axes:
        what = "an axis in scope"
    elif isinstance(checker.interface(text), DimInterface):
        what = "a dim"
    if what is not None:
        checker.report("E0303", name.span, f"`{text}` is {what}, so no value can have its name")
        checker.scope.values[text] = ERROR
        return
    if is_mut_parameter(checker, text):
        checker.report(
            "E1104",
            name.span,
            f"`{text}` is a `mut` parameter, and the caller would still have what it passed",
            help="change its fields, or update its state, instead of giving it a new value",
        )
        return
    if text.startswith("_ss_"):
        checker.report("E0303", name.span, "names that start with `_ss_` are the compiler's own")
        checker.scope.values[text] = ERROR
        return
    checker.scope.values[text] = kind


def _evaluate(checker: BodyChecker, syntax: tree.ExprStmt) -> Statement:
    return Evaluate(syntax.span, checker.expression(syntax.value))


def _reported(checker: BodyChecker, syntax: tree.Stmt) -> None:
    checker.broken = True


def _for(checker: BodyChecker, syntax: tree.For) -> Statement | None:
    from shapescript_check.bodies.blocks import type_for

    return type_for(checker, syntax)


def _if(checker: BodyChecker, syntax: tree.If) -> Statement | None:
    from shapescript_check.bodies.blocks import type_if

    return type_if(checker, syntax)


_RULES: dict[type, Rule] = {
    tree.Bind: _bind,
    tree.Return: type_return,
    tree.ExprStmt: _evaluate,
    tree.SetField: type_set_field,
    tree.For: _for,
    tree.If: _if,
    tree.ErrorStmt: _reported,
}
