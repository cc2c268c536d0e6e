"""Calls of Python functions that an `extern fn`, or the prelude, gives a type."""

from __future__ import annotations

from shapescript_check.bodies.argument_types import check_argument, type_arguments
from shapescript_check.bodies.arguments import Matcher
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.extern_defaults import left_out
from shapescript_check.bodies.lining_up import lining_up
from shapescript_check.bodies.ranges import narrowest
from shapescript_check.bodies.shaped_extern_calls import ShapedCall, positional
from shapescript_check.declarations.interfaces import (
    AxisParameter,
    FnInterface,
    ParameterInterface,
    SizeParameter,
)
from shapescript_check.operations.broadcasting import line_up
from shapescript_check.operations.call import Refused
from shapescript_check.operations.families.edges import check_edge
from shapescript_check.operations.families.elementwise import as_range, read_as
from shapescript_check.operations.parameters import Given, Kind, Parameter
from shapescript_check.typed.tree import CallExtern, Typed
from shapescript_check.types.domains import Domain, Range
from shapescript_check.types.dtypes import DType, promote
from shapescript_check.types.entities import ModeType
from shapescript_check.types.functions import FUNCTIONS, MATH_OF_PYTHON
from shapescript_check.types.values import PYTHON, ErrorType, PythonType, TensorType, ValueType
from shapescript_syntax import tree


def type_extern_call(
    checker: BodyChecker, syntax: tree.Call, fn: FnInterface, arguments: list[Given]
) -> Typed:
    """A call of an `extern fn`."""
    assert isinstance(syntax.callee, tree.Ident)
    for given in arguments:
        if given.mut is not None:
            checker.report("E1101", given.mut, f"`{fn.name}` doesn't change this argument, so it isn't `mut`")
    matcher = Matcher(checker, fn.name, syntax.callee.span)
    parameters = [
        Parameter(
            p.name,
            Kind.AXIS if isinstance(p.type, AxisParameter) else Kind.VALUE,
            optional=p.has_default,
            mode=isinstance(p.type, ModeType),
        )
        for p in fn.parameters
    ]
    filled = matcher.match(parameters, arguments)
    special = {p.name for p in fn.parameters if isinstance(p.type, AxisParameter | SizeParameter)}
    by_name = {name: given[0] for name, given in (filled or {}).items()}
    plain = [g for n, g in by_name.items() if n not in special] if filled else arguments
    values = type_arguments(checker, [g for g in plain if filled or g.name is None])
    if filled is None or values is None:
        return checker.unresolved(syntax.span)
    pairs = [(p, by_name.get(p.name)) for p in fn.parameters]
    math = MATH_OF_PYTHON.get(fn.path or "")
    if fn.elementwise:
        return _elementwise(checker, syntax, fn, pairs, math)
    return ShapedCall(checker, syntax, fn).check_extern(pairs)


def _elementwise(
    checker: BodyChecker,
    syntax: tree.Call,
    fn: FnInterface,
    pairs: list[tuple[ParameterInterface, Given | None]],
    math: str | None,
) -> Typed:
    good = True
    for parameter, given in pairs:
        if given is not None and given.typed is not None:
            domain = parameter.type.domain if isinstance(parameter.type, TensorType) else None
            good &= check_argument(checker, fn, parameter, given.typed, domain, ())
    if not good:
        return checker.unresolved(syntax.span)
    call = lining_up(checker, fn.name, syntax.span, syntax.callee.span)
    given_values = [(p, g.typed) for p, g in pairs if g is not None and g.typed is not None]
    numbers = [v for p, v in given_values if isinstance(p.type, TensorType)]
    arguments = (
        *((p.name, v) for p, v in given_values),
        *left_out(fn, pairs, syntax.span, lambda size: size),
    )
    if any(isinstance(v.type, PythonType) for v in numbers):
        # Nothing is known of the shape of what Python gives, nor of what is computed from it.
        return CallExtern(syntax.span, PYTHON, fn.name, fn.path or "", arguments, positional(pairs), math)
    try:
        operands = [call.as_operand(v) for v in numbers]
        lined = line_up(call, operands)
    except Refused:
        return checker.unresolved(syntax.span)
    declared = fn.returns
    kind: ValueType = declared if declared is not None else ErrorType()
    if isinstance(declared, TensorType):
        dtype = promote((o.dtype, o.tier) for o in operands) if operands else DType.F32
        if dtype is not None and dtype.kind != "float":
            dtype = DType.F32
        found: Domain = declared.domain
        if math is not None:
            check_edge(call, math, operands[0])
            ranges = (read_as(as_range(o.domain), (o.dtype, o.tier), dtype) for o in operands)
            known = Range(FUNCTIONS[math](*(r.interval for r in ranges), dtype=dtype))
            found = narrowest(found, known) if isinstance(found, Range) else found
        kind = TensorType(lined.axes, declared.dtype or dtype, found)
    return CallExtern(
        syntax.span, kind, fn.name, fn.path or "", arguments, positional(pairs), math, lined.alignment
    )
