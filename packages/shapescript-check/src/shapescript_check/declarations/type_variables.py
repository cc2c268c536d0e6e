"""The type variables of generic functions: single capital letters that nothing declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from shapescript_check.declarations.entity_types import OF_MODELS
from shapescript_check.declarations.reporting import Reporter
from shapescript_syntax import tree
from shapescript_syntax.records import fields_of

_VARIABLE = re.compile(r"[A-Z][0-9]*")

Declares = Callable[[str], bool]


def type_variables(item: tree.Fn, declares: Declares) -> tuple[str, ...]:
    """The type variables of a function, in the order that its parameters use them."""
    names = _candidates(item)
    return tuple(dict.fromkeys(n for n in names if not declares(n))) if names else ()


@lru_cache(maxsize=1 << 13)
def may_be_generic(item: tree.Fn) -> bool:
    """Whether a function has names that are type variables unless they are declared. Most haven't."""
    return bool(_candidates(item) or _of_result(item))


def _candidates(item: tree.Fn) -> tuple[str, ...]:
    """What are type variables of a function's parameters unless something is declared by those names."""
    types = (p.type for p in item.parameters if p.type is not None)
    return tuple(name.name for syntax in types for name in _variables_in(syntax))


def _of_result(item: tree.Fn) -> tuple[tree.Ident, ...]:
    return tuple(_variables_in(item.returns)) if item.returns is not None else ()


def _variables_in(syntax: tree.TypeExpr) -> Iterator[tree.Ident]:
    if len(syntax.words) != 1:
        return
    (word,) = syntax.words
    if word.qualifier is not None or word.over is not None:
        return
    name = tree.Ident(word.name.span, word.name.text)
    if word.argument is not None:
        if word.name.text not in (*OF_MODELS, "Dataset") or not isinstance(word.argument, tree.Ident):
            return
        name = word.argument
    if _VARIABLE.fullmatch(name.name):
        yield name


def check_variables(item: tree.Fn, declares: Declares, report: Reporter) -> bool:
    """Reports E2309 for a variable that is an axis too, or that only the result has."""
    variables = type_variables(item, declares)
    lost = [n for n in _of_result(item) if not declares(n.name) and n.name not in variables]
    good = not lost
    if not variables and good:
        return True
    shapes = [p.type.shape for p in item.parameters if p.type is not None and p.type.shape is not None]
    for axis in (axis for shape in shapes for axis in _names_in(shape)):
        if axis.name in variables:
            good = False
            report(
                "E2309",
                axis.span,
                f"`{axis.name}` is a type variable of `{item.name.text}`, so it can't name an axis",
                help="give the axis another name, such as n",
            )
    for name in lost:
        report(
            "E2309",
            name.span,
            f"no parameter of `{item.name.text}` has the type variable `{name.name}`, so no call says what it is",
            help=f"use it in a parameter's type, as in m: {name.name}, or write the type",
        )
    return good


def _names_in(thing: object) -> Iterator[tree.Ident]:
    if isinstance(thing, tree.Ident):
        yield thing
    elif type(thing) is tuple:
        for each in thing:
            yield from _names_in(each)
    else:
        for name in fields_of(thing) or ():
            yield from _names_in(getattr(thing, name))
