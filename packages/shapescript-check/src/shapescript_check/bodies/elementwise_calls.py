"""Calls of elementwise functions: arguments broadcast together, and the range follows the body."""

from __future__ import annotations

from shapescript_check.bodies.argument_types import check_argument, inferred_result
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.lining_up import lining_up
from shapescript_check.bodies.ranges import known_result
from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.broadcasting import line_up
from shapescript_check.operations.call import Operand, Refused
from shapescript_check.operations.forms.conversion import TO_DTYPE
from shapescript_check.operations.forms.storage import converted_domain
from shapescript_check.typed.tree import Apply, CallFn, Typed
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.values import PYTHON, NoResult, PythonType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.records import replaced


def type_elementwise_call(
    checker: BodyChecker,
    syntax: tree.Call,
    fn: FnInterface,
    pairs: list[tuple[ParameterInterface, Typed | None]],
) -> Typed:
    """A call of a function none of whose parameters has a shape."""
    good = True
    for parameter, value in pairs:
        if value is not None:
            domain = parameter.type.domain if isinstance(parameter.type, TensorType) else None
            good &= check_argument(checker, fn, parameter, value, domain, ())
    if not good:
        return checker.unresolved(syntax.span)
    arguments = tuple((p.name, v) for p, v in pairs)
    given = [v for p, v in pairs if v is not None and isinstance(p.type, TensorType)]
    if any(isinstance(v.type, PythonType) for v in given):
        # Nothing is known of the shape of what Python gives, nor of what is computed from it.
        return CallFn(syntax.span, PYTHON, fn.key, arguments, {}, ((),) * len(pairs))
    call = lining_up(checker, fn.name, syntax.span, syntax.callee.span)
    try:
        operands = [call.as_operand(v) for v in given if isinstance(v.type, TensorType)]
        lined = line_up(call, operands)
    except Refused:
        return checker.unresolved(syntax.span)
    alignment = _for_every_parameter(pairs, lined.alignment)
    declared = fn.returns if fn.returns is not None else inferred_result(checker, syntax, fn)
    kind: ValueType = declared
    if isinstance(declared, TensorType):
        known = known_result(checker, fn, declared, pairs, alignment)
        kind = TensorType(lined.axes, known.dtype, known.domain)
        if known.dtype is None:
            return _in_one_dtype(CallFn(syntax.span, kind, fn.key, arguments, {}, alignment), kind, operands)
    elif not isinstance(declared, NoResult):
        kind = declared
    return CallFn(syntax.span, kind, fn.key, arguments, {}, alignment)


def _in_one_dtype(call: CallFn, kind: TensorType, operands: list[Operand]) -> Typed:
    """A call whose result's dtype depends on the way through the function, in the one that its arguments have
    together."""
    dtype = _dtype(operands)
    if dtype is None:
        return call
    found = replaced(kind, dtype=dtype, domain=converted_domain(kind.domain, None, dtype))
    return Apply(call.span, found, TO_DTYPE, (call,), (), (None, dtype))


def _for_every_parameter(
    pairs: list[tuple[ParameterInterface, Typed | None]], alignment: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    positions = iter(alignment)
    return tuple(
        next(positions)
        if v is not None and isinstance(p.type, TensorType) and isinstance(v.type, TensorType)
        else ()
        for p, v in pairs
    )


def _dtype(operands: list[Operand]) -> DType | None:
    if not operands:
        return DType.F32
    # A number given for a tensor is one, without axes.
    dtype = promote((o.dtype, min(o.tier, Tier.SCALAR_TENSOR)) for o in operands)
    return DType.F32 if dtype is not None and dtype.kind == "int" else dtype
