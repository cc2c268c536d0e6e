"""Generates value checks: values against what a domain promises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from shapescript_check.codegen.names import python_name
from shapescript_check.operations.lowering import constant, python
from shapescript_check.sizes import Size, SymbolKind
from shapescript_check.types.domains import Discrete, IndexOf, Range, Semantic
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    from shapescript_check.codegen.expressions import ExpressionEmitter


def value_check(
    emit: ExpressionEmitter,
    value: ast.expr,
    kind: TensorType,
    text: str,
    where: str,
    argument: str | None = None,
    function: str | None = None,
) -> ast.stmt | None:
    """The statement that checks a value, in the mode of value checks; None where there is nothing to test."""
    if emit.context.module.options.value_checks == "off":
        return None
    call = domain_check(emit, value, kind)
    if call is None:
        return None
    call.args += [constant(text), constant(where)]
    if argument is not None:
        call.args += [constant(argument), constant(function)]
    return ast.Expr(call)


def _bound(emit: ExpressionEmitter, size: Size) -> ast.expr:
    """What indices are below; None where it is a size that the call needn't tell."""
    if not any(s in emit.context.untold for s in size.symbols()):
        return emit.size(size)
    name = size.name
    return ast.Name(python_name(name), ast.Load()) if name is not None else ast.Constant(None)


def as_debug(emit: ExpressionEmitter, checks: list[ast.stmt]) -> list[ast.stmt]:
    """Value checks in their mode: in `debug`, only where Python isn't optimizing."""
    if not checks or emit.context.module.options.value_checks != "debug":
        return checks
    return [ast.If(ast.Name("__debug__", ast.Load()), checks, [])]


def domain_check(emit: ExpressionEmitter, value: ast.expr, kind: TensorType) -> ast.Call | None:
    """The call that tests a value against its domain, without what messages are made of."""
    domain = kind.domain
    call: ast.expr | None = None
    if isinstance(domain, Range):
        interval = domain.interval
        if interval == Interval.REAL:
            return None
        call = python(
            "_ss_rt.check_range(x, lo, hi, lo_open, hi_open)",
            x=value,
            lo=interval.lo,
            hi=interval.hi,
            lo_open=interval.lo_open,
            hi_open=interval.hi_open,
        )
    elif isinstance(domain, Semantic):
        if domain.kind == "Logit" or kind.axes is None:
            return None
        axis = domain.over - len(kind.axes)
        call = python("_ss_rt.check_prob(x, k, log)", x=value, k=axis, log=domain.kind == "LogProb")
    elif isinstance(domain, Discrete):
        call = python(f"_ss_rt.check_{domain.kind.lower()}(x)", x=value)
    elif isinstance(domain, IndexOf):
        if any(s.kind is SymbolKind.UNKNOWN for s in domain.size.symbols()):
            return None
        call = python("_ss_rt.check_index(x, n)", x=value, n=_bound(emit, domain.size))
    assert isinstance(call, ast.Call)
    return call
