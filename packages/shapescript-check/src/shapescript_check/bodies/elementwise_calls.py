"""Calls of elementwise functions: arguments broadcast together, and the range follows the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.bodies.argument_types import inferred_result
from shapescript_check.bodies.lining_up import lining_up
from shapescript_check.bodies.ranges import known_result
from shapescript_check.declarations.interfaces import ParameterInterface
from shapescript_check.operations.broadcasting import line_up
from shapescript_check.operations.call import Operand, Refused
from shapescript_check.operations.forms.conversion import TO_DTYPE
from shapescript_check.operations.forms.storage import converted_domain
from shapescript_check.typed.tree import Apply, CallFn, Typed
from shapescript_check.types.dtypes import DType, Tier, promote
from shapescript_check.types.values import PYTHON, PythonType, TensorType, ValueType
from shapescript_syntax.records import replaced

if TYPE_CHECKING:
    from shapescript_check.bodies.function_calls import GenericCall


def type_elementwise_call(
    generic: GenericCall, pairs: list[tuple[ParameterInterface, Typed | None]]
) -> Typed:
    """A call of a function none of whose parameters has a shape. Its only sizes are those of `Index[V]`."""
    checker, syntax, fn = generic.checker, generic.syntax, generic.fn
    generic.solve_indices(pairs)
    if generic.good:
        generic.check_elements(pairs)
        generic.check_determined()
    if not generic.good:
        return checker.unresolved(syntax.span)
    arguments, bindings = tuple((p.name, v) for p, v in pairs), generic.bindings()
    given = [v for p, v in pairs if v is not None and isinstance(p.type, TensorType)]
    if any(isinstance(v.type, PythonType) for v in given):
        # Nothing is known of the shape of what Python gives, nor of what is computed from it.
        return CallFn(syntax.span, PYTHON, fn.key, arguments, bindings, ((),) * len(pairs))
    call = lining_up(checker, fn.name, syntax.span, syntax.callee.span)
    try:
        operands = [call.as_operand(v) for v in given if isinstance(v.type, TensorType)]
        lined = line_up(call, operands)
    except Refused:
        return checker.unresolved(syntax.span)
    alignment = _for_every_parameter(pairs, lined.alignment)
    kind: ValueType = fn.returns if fn.returns is not None else inferred_result(checker, syntax, fn)
    if isinstance(kind, TensorType):
        known = known_result(checker, fn, kind, pairs, alignment)
        kind = TensorType(lined.axes, known.dtype, generic.placed_domain(known.domain))
        if known.dtype is None:
            call_fn = CallFn(syntax.span, kind, fn.key, arguments, bindings, alignment)
            return _in_one_dtype(call_fn, kind, operands)
    return CallFn(syntax.span, kind, fn.key, arguments, bindings, alignment)


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
