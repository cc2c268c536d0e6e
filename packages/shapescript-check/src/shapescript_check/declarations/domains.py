"""User domains: `domain Temp = [0.05, 10]`."""

from __future__ import annotations

from shapescript_check.declarations.defaults import NotConstant, constant
from shapescript_check.declarations.interfaces import Broken, DomainInterface
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.types.domains import BUILTIN_DOMAINS
from shapescript_check.types.dtypes import DTYPES
from shapescript_check.types.intervals import Interval
from shapescript_syntax import tree


def domain_interface(item: tree.Domain, report: Reporter) -> DomainInterface | Broken:
    """The interval that a domain declaration stands for."""
    name = item.name.text
    if name in BUILTIN_DOMAINS or name in DTYPES:
        kind = "a dtype" if name in DTYPES else "a built-in domain"
        report("E0503", item.name.span, f"`{name}` is {kind}, so no domain can have its name")
        return Broken(name)
    ends: list[float] = []
    for end in (item.lo, item.hi):
        try:
            value = constant(end, lambda _: None)
        except NotConstant as error:
            if not isinstance(error.syntax, tree.ErrorExpr):
                report("E0503", error.syntax.span, "the ends of a domain are numbers, or inf")
            return Broken(name)
        if isinstance(value, bool):
            report("E0503", end.span, "the ends of a domain are numbers, or inf")
            return Broken(name)
        ends.append(value)
    lo, hi = ends
    if lo > hi or (lo == hi and (item.lo_open or item.hi_open)) or lo == float("inf") or hi == float("-inf"):
        report("E0503", item.lo.span.to(item.hi.span), f"no value is in domain `{name}`")
        return Broken(name)
    return DomainInterface(name, Interval.written(lo, hi, item.lo_open, item.hi_open))
