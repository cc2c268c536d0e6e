"""Arithmetic on host scalars, which Python does: the kind, range and size of the result."""

from __future__ import annotations

from shapescript_check.sizes import Size, SizeTooLarge
from shapescript_check.types import intervals
from shapescript_check.types.values import HostType

_TRANSFERS = {"+": intervals.add, "-": intervals.sub, "*": intervals.mul, "/": intervals.div}


def host_arithmetic(op: str, x: HostType, y: HostType) -> HostType:
    """What `+ - * /` gives: a float if either is one or for `/`, and an int otherwise."""
    kind = "float" if op == "/" or "float" in (x.kind, y.kind) else "int"
    return HostType(kind, _TRANSFERS[op](x.interval, y.interval), _size(op, x, y) if kind == "int" else None)


def host_negation(x: HostType) -> HostType:
    """What unary `-` gives."""
    size = _size("-", HostType("int", size=Size.number(0)), x)
    return HostType(x.kind, intervals.neg(x.interval), size)


def _size(op: str, x: HostType, y: HostType) -> Size | None:
    if x.size is None or y.size is None:
        return None
    try:
        return x.size + y.size if op == "+" else x.size - y.size if op == "-" else x.size * y.size
    except SizeTooLarge:
        return None
