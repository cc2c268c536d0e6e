"""Host scalars: arithmetic and comparisons that Python computes, and sizes used as numbers."""

from __future__ import annotations

from tests.property.programs.chooser import Chooser
from tests.property.programs.forms import form


@form("host arithmetic")
def _arithmetic(c: Chooser) -> str | None:
    x, y = c.host("int", "float"), c.host("int", "float")
    op = c.one("+", "-", "*", "/")
    return f"{x} {op} {c.one('2', '0.5', '4') if op == '/' else y}"


@form("host int")
def _whole(c: Chooser) -> str | None:
    x, y = c.host("int"), c.host("int")
    return c.one(f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"-{x}", f"{x} * {y} - {y}")


@form("host comparison")
def _comparison(c: Chooser) -> str | None:
    compared = f"{c.host('int', 'float')} {c.one('<', '<=', '>', '>=', '==', '!=')} {c.host('int', 'float')}"
    other = c.host("bool")
    return c.one(compared, f"{compared} {c.one('and', 'or')} {other}", f"!{other}") if other else compared


@form("host parameter", statement=True)
def _parameter(c: Chooser) -> str | None:
    """A parameter that is a host scalar, used at once."""
    kind = c.one("int", "float", "bool", "int", "float")
    default = {"int": "3", "float": "0.5", "bool": "true"}[kind] if c.chance(0.3) else None
    if default is None and any("=" in written for _, written in c.draft.parameters):
        default = None
    name = c.draft.add_parameter(kind, default)
    if name is None:
        return None
    used = f"!{name}" if kind == "bool" else f"{name} + 1"
    return f"{c.draft.fresh('v')} = {used}"


@form("host math")
def _math(c: Chooser) -> str | None:
    x = c.host("int", "float")
    name = c.one("sqrt", "exp", "sin", "cos", "tanh", "erf", "abs", "neg", "sigmoid", "relu", "square")
    return f"{name}({x})" if name != "sqrt" else f"sqrt({c.one('2', '0.5', *c.draft.dims)})"


@form("size used as a number")
def _size(c: Chooser) -> str | None:
    x = c.tensor(numbers=True)
    return None if x is None else f"{x[0]} {c.one('*', '+', '-', '/')} {c.axis_size()}"
