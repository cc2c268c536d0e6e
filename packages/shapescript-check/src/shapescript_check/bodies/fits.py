"""Whether a value's element type fits where one is expected: domains, dtypes and host scalars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapescript_check import quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.defaults import article
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.families.elementwise import stored_interval
from shapescript_check.sizes import Failure, FailureKind, Size, SymbolKind
from shapescript_check.typed.tree import Typed
from shapescript_check.types.domains import (
    MASK,
    REAL,
    Discrete,
    Domain,
    IndexOf,
    Range,
    Semantic,
    domain_text,
    is_mask,
)
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import (
    ErrorType,
    HostType,
    PythonType,
    StringType,
    TensorType,
    ValueType,
)
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span


def domain_fits(value: Domain, expected: Domain) -> bool:
    """Widening: whether every value of one domain is allowed in another."""
    if isinstance(expected, IndexOf):
        return isinstance(value, IndexOf) and value.size.same(expected.size)
    if isinstance(expected, Discrete):
        return value == expected
    if is_mask(value):
        return False
    if isinstance(expected, Semantic):
        if isinstance(value, Semantic):
            if value.over != expected.over:
                return expected.kind == "Logit" and value.kind != "Prob"
            return value.kind == expected.kind or (expected.kind == "Logit" and value.kind == "LogProb")
        return expected.kind == "Logit"
    return expected.interval.contains(value.interval)


def check_element(
    checker: BodyChecker,
    span: Span,
    value: TensorType,
    expected: TensorType,
    what: str,
    labels: Sequence[Label] = (),
) -> bool:
    """Reports E0501, E0502 or E0507 where what a tensor holds isn't what is expected.

    A Mask where numbers are expected, and numbers where a Mask is, are one mistake, and so is another kind of
    dtype, whose conversion changes the domain too.
    """
    if is_mask(value.domain) == is_mask(expected.domain):
        stored_well = _check_dtype(checker, span, value.dtype, expected.dtype, what, labels)
        if not stored_well and (value.dtype is None or value.dtype.kind != expected.dtype.kind):  # type: ignore[union-attr]
            return False
        return _check_domain(checker, span, value, expected, what, labels) and stored_well
    return _check_domain(checker, span, value, expected, what, labels)


def check_number(
    checker: BodyChecker,
    value: Typed,
    expected: TensorType,
    what: str,
    labels: Sequence[Label] = (),
) -> bool:
    """Reports E0501 or E0502 where a host scalar isn't what a tensor of numbers may hold."""
    kind = value.type
    assert isinstance(kind, HostType)
    if kind.kind == "bool":
        given = TensorType((), DType.BOOL, MASK)
    else:
        given = TensorType((), HOST_DTYPES[kind.kind], Range(kind.interval))
    if kind.kind == "float" and expected.dtype is not None and expected.dtype.kind == "int":
        checker.report(
            "E0502", value.span, f"{what} is a float, and {expected.dtype} is expected", labels=labels
        )
        return False
    return _check_domain(checker, value.span, given, expected, what, labels)


def _check_domain(
    checker: BodyChecker,
    span: Span,
    value: TensorType,
    expected: TensorType,
    what: str,
    labels: Sequence[Label] = (),
) -> bool:
    mine = value.domain
    if isinstance(mine, Range):
        mine = Range(stored_interval(mine.interval, value.dtype), mine.name)
    if domain_fits(mine, expected.domain):
        return True
    if isinstance(expected.domain, IndexOf) and isinstance(mine, IndexOf):
        checker.report(
            "E0507",
            span,
            f"{what} holds indices below {mine.size.text_with_value()}, and indices below "
            f"{expected.domain.size.text_with_value()} are expected",
            labels=labels,
        )
        return False
    checker.report(
        "E0501",
        span,
        f"{what} is {_shown(value)}, and {_shown(expected)} is expected",
        labels=labels,
        help=_domain_help(checker, span, value, expected),
    )
    return False


def _shown(kind: TensorType) -> str:
    """What a tensor holds, without its shape: `Unit`, `Prob over C`, `i64`."""
    domain = _domain_shown(kind)
    whole = kind.dtype is not None and kind.dtype.kind == "int"
    return str(kind.dtype) if whole and domain == "Real" else domain


def _domain_shown(kind: TensorType) -> str:
    if isinstance(kind.domain, Range) and kind.domain.name is None and kind.domain.interval.is_point:
        return f"{kind.domain.interval.lo:g}"
    over = None
    if isinstance(kind.domain, Semantic) and kind.axes:
        over = str(kind.axes[kind.domain.over])
    return domain_text(kind.domain, over) or "Real"


def _domain_help(checker: BodyChecker, span: Span, value: TensorType, expected: TensorType) -> str | None:
    from shapescript_check.bodies.assertions import contradiction
    from shapescript_check.bodies.conversions import find_conversion

    wrapped = quoting.operand(checker.text(span))
    claimed = _domain_shown(expected.with_axes(value.axes))
    mine, wanted = value.domain, expected.domain
    if is_mask(mine) and isinstance(wanted, Range):
        return f"for the numbers 0 and 1, write {wrapped} to Binary"
    if isinstance(wanted, Semantic) and wanted.kind == "Logit" and isinstance(mine, Semantic):
        return "is softmax applied before cross_entropy, or twice? pass the logits themselves"
    if find_conversion(value, expected.with_axes(value.axes)) is not None:
        return f"to compute it, write {wrapped} to {claimed}"
    if isinstance(wanted, IndexOf) and any(s.kind is SymbolKind.VARIABLE for s in wanted.size.symbols()):
        return f"say what they index: {wrapped} as Index[n], where n is the size of that axis"
    if is_mask(wanted):
        return f"compare it, as in {wrapped} != 0"
    if contradiction(mine, wanted) is not None:
        return None
    return (
        f"if its values are always {claimed}, say so: {wrapped} as {claimed}, which is checked when it runs"
    )


def _check_dtype(
    checker: BodyChecker,
    span: Span,
    value: DType | None,
    expected: DType | None,
    what: str,
    labels: Sequence[Label] = (),
) -> bool:
    """Reports E0502 where dtypes differ, or may: a value without one has that of a call's arguments."""
    if expected is None or value is expected:
        return True
    stored = "may be stored as any dtype" if value is None else f"is stored as {value}"
    checker.report(
        "E0502",
        span,
        f"{what} {stored}, and {expected} is expected",
        labels=labels,
        help=f"convert it: {quoting.operand(checker.text(span))} to {expected}",
    )
    return False


def check_host(
    checker: BodyChecker, value: Typed, expected: str, what: str, labels: Sequence[Label] = ()
) -> bool:
    """Reports E0502 or E0805 where a value isn't the host scalar that is expected."""
    kind = value.type
    if isinstance(kind, ErrorType | PythonType):
        return True
    if isinstance(kind, HostType):
        if kind.kind == expected or (kind.kind == "int" and expected == "float"):
            return True
        checker.report(
            "E0502",
            value.span,
            f"{what} is {article(kind.kind)}, and {article(expected)} is expected",
            labels=labels,
        )
        return False
    if isinstance(kind, StringType):
        checker.report(
            "E0412", value.span, f"{what} is a string, and {article(expected)} is expected", labels=labels
        )
        return False
    tensor = isinstance(kind, TensorType)
    note = "a host scalar is a Python value; reading a tensor would wait for the device"
    checker.report(
        "E0805",
        value.span,
        f"{what} is {'a tensor' if tensor else kind}, and {article(expected)} is expected",
        labels=labels,
        notes=(note,) if tensor else (),
        help=_as_tensor(kind) if labels else None,
    )
    return False


def _as_tensor(kind: ValueType) -> str | None:
    """How to declare what takes a tensor of one number."""
    if not isinstance(kind, TensorType):
        return None
    declared = TensorType((), kind.dtype, MASK if kind.is_mask else REAL)
    return f"to leave it on the device, declare it as a tensor: {declared}"


def claim(failures: Iterable[Failure]) -> str | None:
    """A help for sizes that may be equal after all; None where one pair surely isn't."""
    for failure in failures:
        if failure.lhs.differs(failure.rhs):
            return None
        sides = (failure.lhs.as_int(), failure.rhs.as_int())
        if failure.kind is not FailureKind.MISMATCH or None not in sides or failure.lhs.variables:
            return None
    return "a size the checker can't prove is claimed with `as`, which is checked when it runs"


def not_equal_note(value: Size, expected: Size, axis: int) -> str:
    """Why an axis doesn't have the size that is expected."""
    verb = "is not" if value.differs(expected) else "is not known to equal"
    return f"axis {axis + 1}: {value.text_with_value()} {verb} {expected.text_with_value()}"
