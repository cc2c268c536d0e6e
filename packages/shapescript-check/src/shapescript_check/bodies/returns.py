"""Returned values, against the declared return type, or the first value's where none is declared."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.entities import check_entity
from shapescript_check.bodies.fits import (
    check_element,
    check_host,
    check_number,
    claim,
    not_equal_note,
)
from shapescript_check.declarations.interfaces import FnInterface
from shapescript_check.operations.forms.conversion import TO_DTYPE
from shapescript_check.operations.forms.storage import converted_domain
from shapescript_check.sizes import Equation, Size, Symbol, SymbolKind, solve
from shapescript_check.typed.tree import Apply, ReturnValue, Typed
from shapescript_check.types.axes import Axes, shape_text
from shapescript_check.types.domains import IndexOf, is_mask
from shapescript_check.types.entities import RecordType, is_entity
from shapescript_check.types.values import (
    NO_RESULT,
    ErrorType,
    HostType,
    NoResult,
    PythonType,
    ResultsType,
    StringType,
    TensorType,
    ValueType,
)
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import replaced
from shapescript_syntax.spans import Span


def type_return(checker: BodyChecker, syntax: tree.Return) -> ReturnValue:
    """`return value`."""
    fn = checker.function
    if syntax.value is None:
        if fn is not None and fn.returns is not None and not isinstance(fn.returns, ErrorType):
            checker.report(
                "E0307", syntax.span, f"`{fn.name}` returns {fn.returns}, and this return gives nothing"
            )
        checker.returned.append(NO_RESULT)
        return ReturnValue(syntax.span, None)
    value = checker.expression(syntax.value)
    return return_value(checker, value, syntax.span)


def return_value(checker: BodyChecker, value: Typed, span: Span) -> ReturnValue:
    """A value that a function gives back."""
    kind = value.type
    checker.returned.append(kind)
    fn = checker.function
    if isinstance(kind, ErrorType) or fn is None:
        return ReturnValue(span, value)
    if fn.returns is not None:
        value = stored_as_declared(value, fn.returns)
        _check(
            checker, value, fn.returns, Label(None, f"`{fn.name}` returns {fn.returns}", fn.key, "returns")
        )
    elif isinstance(kind, ResultsType | StringType):
        checker.report("E0412", value.span, f"a function gives one value, and this is {kind}")
    else:
        _check_like_first(checker, fn, value)
    if fn.elementwise and isinstance(kind, TensorType) and kind.axes:
        checker.report(
            "E0403",
            value.span,
            f"no parameter of `{fn.name}` has a shape, so its result has that of its arguments, and this is "
            f"{shape_text(kind.axes)}",
            help=f"give the result a shape, -> {kind}",
        )
    return ReturnValue(span, value)


def stored_as_declared(value: Typed, declared: ValueType) -> Typed:
    """A float whose dtype a call of an elementwise function decides, in the one that its return type names.

    To integers nothing is converted that isn't asked for: it would round.
    """
    kind = value.type
    if not isinstance(kind, TensorType) or not isinstance(declared, TensorType):
        return value
    dtype = declared.dtype
    if kind.dtype is not None or dtype is None or dtype.kind != "float" or is_mask(kind.domain):
        return value
    found = replaced(kind, dtype=dtype, domain=converted_domain(kind.domain, None, dtype))
    return Apply(value.span, found, TO_DTYPE, (value,), (), (None, dtype))


def _check_like_first(checker: BodyChecker, fn: FnInterface, value: Typed) -> None:
    """Holds a value against the first one that a function without a return type gives, which says its type."""
    first, kind = checker.returned[0], value.type
    if len(checker.returned) == 1 or isinstance(
        first, ErrorType | PythonType | NoResult | StringType | ResultsType
    ):
        return
    if isinstance(first, TensorType) and isinstance(kind, TensorType) and first.is_mask == kind.is_mask:
        first = first.with_domain(kind.domain)  # the result's domain holds those of all values
    _check(
        checker, value, first, Label(None, f"the first value that it returns is {described(first)}", fn.key)
    )


def _check(checker: BodyChecker, value: Typed, expected: ValueType, at: Label) -> None:
    kind = value.type
    label = (at,)
    what = "the returned value"
    if isinstance(expected, HostType):
        check_host(checker, value, expected.kind, what, label)
        return
    if is_entity(expected):
        if check_entity(checker, value, expected, what, label) and isinstance(expected, RecordType):
            assert isinstance(kind, RecordType)
            _sizes(checker, value, kind.axes, expected.axes, label)
        return
    if not isinstance(expected, TensorType):
        return
    if isinstance(kind, PythonType):
        if expected.axes is not None:
            text = quoting.operand(checker.text(value.span))
            checker.report(
                "E0413",
                value.span,
                "a value from Python has no type to return until it is asserted",
                labels=label,
                help=f"assert it: {text} as {expected}",
            )
        return
    if isinstance(kind, HostType):
        _number(checker, value, expected, label)
        return
    if not isinstance(kind, TensorType):
        checker.report(
            "E0412", value.span, f"{what} is {described(kind)}, and a tensor is expected", labels=label
        )
        return
    if expected.axes is not None and not _shape(checker, value, kind, expected.axes, label):
        return
    wanted = expected
    if isinstance(expected.domain, IndexOf) and any(
        s.kind is SymbolKind.UNKNOWN for s in expected.domain.size.symbols()
    ):
        wanted = expected.with_domain(kind.domain)
    check_element(checker, value.span, kind, wanted, what, label)


def _number(checker: BodyChecker, value: Typed, expected: TensorType, label: tuple[Label, ...]) -> None:
    if expected.axes:
        checker.report(
            "E0403",
            value.span,
            f"the returned value is a number, and {shape_text(expected.axes)} is expected",
            labels=label,
            help=f"make a tensor: full({shape_text(expected.axes)}, {checker.text(value.span)})",
        )
        return
    check_number(checker, value, expected, "the returned value", label)


def _shape(
    checker: BodyChecker, value: Typed, kind: TensorType, expected: Axes, label: tuple[Label, ...]
) -> bool:
    if kind.axes is None:
        checker.report(
            "E0403",
            value.span,
            f"this may have any shape, and {shape_text(expected)} is expected",
            labels=label,
        )
        return False
    if len(kind.axes) != len(expected):
        checker.report(
            "E0403",
            value.span,
            f"the returned value is {shape_text(kind.axes)}, and {shape_text(expected)} is expected",
            labels=label,
        )
        return False
    return _sizes(checker, value, kind.axes, expected, label)


def _sizes(checker: BodyChecker, value: Typed, mine: Axes, expected: Axes, label: tuple[Label, ...]) -> bool:
    chosen: dict[Symbol, Size] = {}
    for axis in expected:
        for symbol in axis.size.symbols():
            if symbol.kind is SymbolKind.UNKNOWN:
                chosen.setdefault(symbol, Size.of(checker.fresh_variable(symbol.name)))
    equations = [
        Equation(theirs.size.substitute(chosen), axis.size, i)
        for i, (axis, theirs) in enumerate(zip(mine, expected, strict=True))
    ]
    failures = [f for f in solve(equations).failures if f.kind.value != "E0401" or not _only_small(f, chosen)]
    if not failures:
        return True
    notes = tuple(not_equal_note(f.equation.rhs, f.lhs, _axis(f.equation.tag)) for f in failures)
    checker.report(
        failures[0].kind.value,
        value.span,
        f"the returned value is {shape_text(mine)}, and {shape_text(expected)} is expected",
        labels=label,
        notes=notes,
        help=_reorder(mine, expected) or (claim(failures) if isinstance(value.type, TensorType) else None),
    )
    return False


def _only_small(failure: object, chosen: dict[Symbol, Size]) -> bool:
    """A size that the function chooses may be 0, unlike a size that a call works out."""
    lhs = getattr(failure, "lhs", None)
    return lhs in chosen.values()


def _axis(tag: object) -> int:
    assert isinstance(tag, int)
    return tag


def _reorder(mine: Axes, expected: Axes) -> str | None:
    """The `rearrange` to paste where the value has the expected axes in another order."""
    a, b = [x.name for x in mine], [x.name for x in expected]
    if None not in a and len(set(a)) == len(a) and sorted(map(str, a)) == sorted(map(str, b)) and a != b:
        return f"reorder its axes: |> rearrange({' '.join(map(str, a))} -> {' '.join(map(str, b))})"
    return None
