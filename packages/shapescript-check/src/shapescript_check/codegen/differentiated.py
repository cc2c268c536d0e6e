"""Functions that take gradients: what they differentiate by is part of a graph from where it is bound."""

from __future__ import annotations

import ast

from shapescript_check.codegen.names import python_name
from shapescript_check.operations.gradient import Gradient
from shapescript_check.operations.lowering import python
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of

AGAIN = "_ss_again"
"""The Python variable that says whether the caller's own gradients are to go through."""


def differentiated(body: typed.Body) -> frozenset[str] | None:
    """The names that a function takes gradients by; None where it takes none."""
    found: set[str] = set()
    takes_any = False
    parts: list[typed.Typed | typed.Statement | tuple[typed.Statement, ...]] = [body.statements]
    while parts:
        part = parts.pop()
        if isinstance(part, tuple):
            parts += part
            continue
        if isinstance(part, typed.Apply) and isinstance(part.operation, Gradient):
            takes_any = True
            by = part.operands[1]
            if isinstance(by, typed.Local):
                found.add(by.name)
        parts += parts_of(part)
    return frozenset(found) if takes_any else None


def track(name: str) -> ast.stmt:
    """Makes a value, which has just been bound, one to differentiate by."""
    value = python("_ss_rt.tracked(x, again)", x=_name(name), again=ast.Name(AGAIN, ast.Load()))
    return ast.Assign([ast.Name(python_name(name), ast.Store())], value)


def released(value: ast.expr) -> ast.expr:
    """What such a function gives back."""
    return python("_ss_rt.released(x, again)", x=value, again=ast.Name(AGAIN, ast.Load()))


def recording(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of such a function, which records what they compute whatever its caller has switched off."""
    managers = [
        ast.withitem(python("torch.inference_mode(False)"), None),
        ast.withitem(python("torch.enable_grad()"), None),
    ]
    again = ast.Assign([ast.Name(AGAIN, ast.Store())], python("torch.is_grad_enabled()"))
    return [again, ast.With(managers, statements)]


def _name(name: str) -> ast.expr:
    return ast.Name(python_name(name), ast.Load())
