"""`value as T`: claims that are checked when the program runs, and must be possible before."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.defaults import article
from shapescript_check.declarations.words import go_together
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Assert, Typed
from shapescript_check.types.axes import Axes, shape_text
from shapescript_check.types.domains import (
    ADDITIVE,
    MASK,
    Discrete,
    Domain,
    IndexOf,
    Range,
    Semantic,
    domain_text,
    is_mask,
)
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import (
    ErrorType,
    HostType,
    PythonType,
    ResultsType,
    StringType,
    TensorType,
)
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span


def type_as(checker: BodyChecker, syntax: tree.Cast, value: Typed) -> Typed:
    """An assertion."""
    kind = value.type
    axes = kind.axes if isinstance(kind, TensorType) else None
    target = checker.resolve_type(syntax.type, axes)
    if isinstance(target, ErrorType):
        return checker.unresolved(syntax.span)
    text = checker.text(syntax.type.span)
    if isinstance(target, HostType):
        return _host(checker, syntax, value, target, text)
    if not isinstance(target, TensorType):
        checker.report("E0303", syntax.type.span, f"`{text}` can't be asserted")
        return checker.unresolved(syntax.span)
    if isinstance(kind, StringType | ResultsType) or not isinstance(kind, TensorType | PythonType | HostType):
        checker.report(
            "E0412", value.span, f"`as` asserts the type of a tensor, and this is {described(kind)}"
        )
        return checker.unresolved(syntax.span)
    if isinstance(kind, PythonType):
        if target.axes is None:
            checker.report(
                "E0413",
                value.span,
                "a value from Python has no shape to keep",
                help=f"assert one too, as in [n D] {text}",
            )
            return checker.unresolved(syntax.span)
        return Assert(syntax.span, target, value, text, target.axes, _has_test(target.domain), syntax.op_span)
    if isinstance(kind, HostType):
        return _of_a_number(checker, syntax, value, kind, target, text)
    return _tensor(checker, syntax, value, kind, target, text)


def _of_a_number(
    checker: BodyChecker, syntax: tree.Cast, value: Typed, kind: HostType, target: TensorType, text: str
) -> Typed:
    """A claim of a host scalar, which stays one where only a range is claimed."""
    if kind.kind == "bool":
        return _tensor(checker, syntax, value, TensorType((), DType.BOOL, MASK), target, text)
    stored = TensorType((), HOST_DTYPES[kind.kind], Range(kind.interval))
    typed = _tensor(checker, syntax, value, stored, target, text)
    only_range = syntax.type.shape is None and not _writes_dtype(syntax.type, target)
    if only_range and isinstance(typed, Assert) and isinstance(target.domain, Range):
        assert isinstance(typed.type, TensorType)
        narrowed = HostType(kind.kind, typed.type.domain.interval, kind.size)
        return Assert(typed.span, narrowed, value, text, None, typed.domain_checked, typed.where)
    return typed


def _host(checker: BodyChecker, syntax: tree.Cast, value: Typed, target: HostType, text: str) -> Typed:
    kind = value.type
    if isinstance(kind, PythonType):
        return Assert(syntax.span, target, value, text, None, False, syntax.op_span)
    if isinstance(kind, HostType):
        if kind.kind == target.kind:
            return value
        checker.report("E0410", syntax.type.span, f"{article(kind.kind)} is never {article(target.kind)}")
        return checker.unresolved(syntax.span)
    if isinstance(kind, StringType):
        checker.report("E0412", value.span, f"a string is never {article(target.kind)}")
        return checker.unresolved(syntax.span)
    checker.report(
        "E0805",
        value.span,
        f"a tensor can't be asserted to be {article(target.kind)}",
        notes=("a host scalar is a Python value; reading a tensor would wait for the device",),
    )
    return checker.unresolved(syntax.span)


def _tensor(
    checker: BodyChecker, syntax: tree.Cast, value: Typed, kind: TensorType, target: TensorType, text: str
) -> Typed:
    axes = kind.axes
    if target.axes is not None:
        if axes is not None and not _shape_possible(checker, syntax.type.span, axes, target.axes):
            return checker.unresolved(syntax.span)
        axes = target.axes
    domain, dtype = kind.domain, kind.dtype
    words = syntax.type.words
    dtype_written = _writes_dtype(syntax.type, target)
    domain_written = len(words) > (1 if dtype_written else 0) and not _is_alias_only(syntax, checker)
    if dtype_written and target.dtype is not None:
        if dtype is not None and target.dtype.kind != dtype.kind:
            checker.report(
                "E0410",
                syntax.type.span,
                f"this is stored as {dtype}, so it is never {target.dtype}",
                help=_conversion(checker, value, target.dtype),
            )
            return checker.unresolved(syntax.span)
        dtype = target.dtype
        if is_mask(target.domain):
            domain = target.domain
    if domain_written:
        if not _domain_possible(checker, syntax.type.span, value, kind, target, axes):
            return checker.unresolved(syntax.span)
        domain = _narrowed(kind.domain, target.domain)
    tested = domain_written and _has_test(target.domain)
    return Assert(
        syntax.span, TensorType(axes, dtype, domain), value, text, target.axes, tested, syntax.op_span
    )


def _writes_dtype(written: tree.TypeExpr, target: TensorType) -> bool:
    return (
        bool(written.words) and target.dtype is not None and written.words[-1].name.text == target.dtype.name
    )


def _is_alias_only(syntax: tree.Cast, checker: BodyChecker) -> bool:
    """Whether the only word of the type is a shape alias."""
    from shapescript_check.declarations.interfaces import AliasInterface

    words = syntax.type.words
    return (
        syntax.type.shape is None
        and len(words) == 1
        and isinstance(checker.interface(words[0].name.text), AliasInterface)
    )


def _shape_possible(checker: BodyChecker, span: Span, axes: Axes, target: Axes) -> bool:
    if len(axes) != len(target):
        checker.report(
            "E0410",
            span,
            f"{shape_text(axes)} never has {len(target)} ax{'is' if len(target) == 1 else 'es'}",
        )
        return False
    for i, (mine, theirs) in enumerate(zip(axes, target, strict=True)):
        if mine.size.differs(theirs.size):
            checker.report(
                "E0410",
                span,
                f"{shape_text(axes)} is never {shape_text(target)}",
                notes=(
                    f"axis {i + 1}: {mine.size.text_with_value()} is not {theirs.size.text_with_value()}",
                ),
            )
            return False
    return True


def _domain_possible(
    checker: BodyChecker,
    span: Span,
    value: Typed,
    kind: TensorType,
    target: TensorType,
    axes: Axes | None,
) -> bool:
    why = contradiction(kind.domain, target.domain)
    if why is None and kind.dtype is not None and not go_together(target.domain, kind.dtype):
        why = f"it is stored as {kind.dtype}"
    if why is None:
        return True
    checker.report(
        "E0410",
        span,
        f"this is {_shown(kind)}, so it is never {_shown(target, axes)}",
        notes=(why,) if why else (),
        help=_instead(checker, value, kind, target),
    )
    return False


def _instead(checker: BodyChecker, value: Typed, kind: TensorType, target: TensorType) -> str | None:
    """What to write where a mask is taken for numbers, or numbers for a mask."""
    if kind.is_mask == target.is_mask:
        return None
    text = quoting.operand(checker.text(value.span))
    return (
        f"compare it: {text} != 0" if target.is_mask else f"for the numbers 0 and 1, write {text} to Binary"
    )


def _conversion(checker: BodyChecker, value: Typed, dtype: DType) -> str:
    text = quoting.operand(checker.text(value.span))
    return f"compare it: {text} != 0" if dtype is DType.BOOL else f"to convert it, write {text} to {dtype}"


def _shown(kind: TensorType, axes: Axes | None = None) -> str:
    axes = kind.axes if axes is None else axes
    over = None
    if isinstance(kind.domain, Semantic) and axes and kind.domain.over < len(axes):
        over = str(axes[kind.domain.over])
    return domain_text(kind.domain, over) or "Real"


def contradiction(mine: Domain, claimed: Domain) -> str | None:
    """Why a domain can't hold what another is known to; "" where the two names say it all."""
    if is_mask(mine) != is_mask(claimed):
        return "a Mask holds true and false, and the others hold numbers"
    if isinstance(claimed, IndexOf):
        if isinstance(mine, IndexOf):
            if mine.size.same(claimed.size) or not _known(mine.size, claimed.size):
                return None
            return f"{mine.size.text_with_value()} is not {claimed.size.text_with_value()}"
        return None if mine.interval.intersects(claimed.interval) else ""
    if isinstance(claimed, Semantic) and isinstance(mine, Semantic):
        if claimed.over == mine.over and claimed.kind != mine.kind and "Prob" in (claimed.kind, mine.kind):
            return ""
        return None
    if claimed == ADDITIVE:
        if isinstance(mine, Discrete):
            return None if mine == claimed else ""
        return "Additive values reach -inf" if mine.interval.lo > float("-inf") else None
    if isinstance(claimed, Discrete) and claimed.kind == "Binary":
        zero, one = mine.interval.includes(0.0), mine.interval.includes(1.0)
        return None if zero or one else "Binary values are 0 and 1"
    return None if mine.interval.intersects(claimed.interval) else ""


def _known(a: Size, b: Size) -> bool:
    return a.as_int() is not None and b.as_int() is not None


def _narrowed(mine: Domain, claimed: Domain) -> Domain:
    """What is known after an assertion: the claim, or what was known where that is narrower."""
    if isinstance(claimed, Range):
        met = mine.interval.meet(claimed.interval)
        return claimed if met is None or met == claimed.interval else Range(met)
    return claimed


def _has_test(domain: Domain) -> bool:
    """Whether a value check has something to test: Real and Logit have nothing."""
    if isinstance(domain, Range):
        return domain.interval != Interval.REAL
    return not (isinstance(domain, Semantic) and domain.kind == "Logit")


has_test = _has_test
