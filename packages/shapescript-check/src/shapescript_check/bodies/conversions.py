"""`value to T`: which conversion of the table it is."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.assertions import contradiction
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.fits import domain_fits, not_equal_note
from shapescript_check.declarations.defaults import article
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.operations.forms.conversion import CONVERSIONS, TO_DTYPE, Conversion
from shapescript_check.operations.forms.storage import converted_domain
from shapescript_check.typed.tree import Apply, Host, Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_check.types.domains import (
    ADDITIVE,
    BINARY,
    MASK,
    SIGNED,
    UNIT,
    Discrete,
    Domain,
    IndexOf,
    Range,
    Semantic,
    domain_text,
    is_mask,
)
from shapescript_check.types.dtypes import DTYPES, DType
from shapescript_check.types.values import PYTHON, ErrorType, HostType, PythonType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span

TABLE = (
    "the conversions are Logit or Real to Prob or LogProb, Prob to LogProb and back, Unit to Signed\n"
    "and back, u8 to Unit, Mask to Binary or Additive, Index[V] to Binary (one-hot), and between dtypes"
)


def convert(checker: BodyChecker, span: Span, at: Span, value: Typed, written: tree.TypeExpr) -> Typed:
    """The typed conversion, or E0504."""
    kind = value.type
    axes = kind.axes if isinstance(kind, TensorType) else None
    only_dtype = written.shape is None and len(written.words) == 1 and written.words[0].name.text in DTYPES
    if isinstance(kind, PythonType):
        return _python(checker, span, value, written, only_dtype)
    target = checker.resolve_type(written, axes)
    if isinstance(target, ErrorType):
        return checker.unresolved(span)
    if isinstance(target, HostType):
        if only_dtype and isinstance(kind, TensorType | HostType):
            return _to_bool(checker, span, at, value, kind)
        checker.report(
            "E0504",
            at,
            f"no conversion gives {article(target.kind)}",
            notes=_HOST_NOTE,
            help=_stored_so(checker, value, kind, target),
        )
        return checker.unresolved(span)
    if not isinstance(target, TensorType):
        checker.report("E0303", written.span, f"`{checker.text(written.span)}` can't be converted to")
        return checker.unresolved(span)
    if isinstance(kind, HostType):
        domain = MASK if kind.kind == "bool" else Range(kind.interval)
        kind = TensorType((), HOST_DTYPES[kind.kind], domain)
    assert isinstance(kind, TensorType)
    if only_dtype:
        assert target.dtype is not None
        return _dtype(checker, span, at, value, kind, target.dtype)
    return _domain(checker, span, at, value, kind, target, written)


_HOST_NOTE = ("a host scalar is a Python value; reading a tensor would wait for the device",)


def _stored_so(checker: BodyChecker, value: Typed, kind: ValueType, target: HostType) -> str | None:
    stored = DType.I64 if target.kind == "int" else DType.F32
    if not isinstance(kind, TensorType) or (kind.dtype is not None and kind.dtype.kind == stored.kind):
        return None
    return f"to store the tensor's values so, write {quoting.operand(checker.text(value.span))} to {stored}"


def _python(
    checker: BodyChecker, span: Span, value: Typed, written: tree.TypeExpr, only_dtype: bool
) -> Typed:
    if not only_dtype or written.words[0].name.text == "bool":
        if only_dtype:
            checker.report(
                "E0504", written.span, "no conversion gives bool", help="compare it instead: x != 0"
            )
        else:
            checker.report(
                "E0413",
                value.span,
                "a conversion depends on the type, and a value from Python has none until it is asserted",
                help=f"assert it first: ({checker.text(value.span)} as [n D]) to {checker.text(written.span)}",
            )
        return checker.unresolved(span)
    return Host(span, PYTHON, "to " + written.words[0].name.text, (value,))


# --- dtypes ---


def _dtype(checker: BodyChecker, span: Span, at: Span, value: Typed, kind: TensorType, dtype: DType) -> Typed:
    domain = converted_domain(kind.domain, kind.dtype, dtype)
    return Apply(span, TensorType(kind.axes, dtype, domain), TO_DTYPE, (value,), (), (kind.dtype, dtype))


def _to_bool(checker: BodyChecker, span: Span, at: Span, value: Typed, kind: TensorType | HostType) -> Typed:
    """`to bool`, which is E0504 whatever it is given."""
    if kind.is_mask if isinstance(kind, TensorType) else kind.kind == "bool":
        _nothing(checker, at, "bool")
    else:
        compared = f"{quoting.operand(checker.text(value.span))} != 0"
        checker.report("E0504", at, "no conversion gives bool", help=f"compare it instead: {compared}")
    return checker.unresolved(span)


# --- domains ---


def _domain(
    checker: BodyChecker,
    span: Span,
    at: Span,
    value: Typed,
    kind: TensorType,
    target: TensorType,
    written: tree.TypeExpr,
) -> Typed:
    conversion = find_conversion(kind, target)
    dtype_written = written.words and written.words[-1].name.text in DTYPES
    if conversion is None or not written.words:
        _no_conversion(checker, at, value, kind, target, written)
        return checker.unresolved(span)
    dtype = _result_dtype(kind, target if dtype_written else None, conversion)
    if dtype_written and target.dtype is not None and target.dtype.kind != "float":
        checker.report(
            "E0504", at, f"a conversion to {_shown(target, kind)} gives floats, and {target.dtype} isn't one"
        )
        return checker.unresolved(span)
    axes = kind.axes
    if conversion.name == "one_hot":
        axes = _one_hot_axes(kind)
    if target.axes is not None and axes is not None:
        if not _same_shape(checker, written, axes, target.axes):
            return checker.unresolved(span)
        axes = target.axes
    return Apply(span, TensorType(axes, dtype, target.domain), conversion, (value,), (), (kind, dtype))


def _result_dtype(kind: TensorType, written: TensorType | None, conversion: Conversion) -> DType | None:
    if written is not None:
        return written.dtype
    if conversion.keeps_dtype:
        return kind.dtype if kind.dtype is None or kind.dtype.kind == "float" else DType.F32
    return DType.F32


def _one_hot_axes(kind: TensorType) -> Axes | None:
    assert isinstance(kind.domain, IndexOf)
    size = kind.domain.size
    return (*kind.axes, Axis(size, size.name)) if kind.axes is not None else None


def find_conversion(kind: TensorType, target: TensorType) -> Conversion | None:
    """The row of the table for a value's type and a target's domain."""
    mine, wanted = kind.domain, target.domain
    if is_mask(mine):
        return (
            CONVERSIONS.get(("Mask", wanted.kind))
            if isinstance(wanted, Discrete) and wanted.kind != "Mask"
            else None
        )
    if isinstance(mine, IndexOf):
        return CONVERSIONS[("Index", "Binary")] if wanted == BINARY and target.axes is not None else None
    if isinstance(wanted, Semantic):
        if kind.axes is None or wanted.kind == "Logit":
            return None
        source = mine.kind if isinstance(mine, Semantic) and mine.over == wanted.over else None
        if isinstance(mine, Range) or (
            isinstance(mine, Semantic) and source is None and mine.kind == "Logit"
        ):
            source = "Logit"
        return CONVERSIONS.get((source or "", wanted.kind))
    if not isinstance(wanted, Range) or not isinstance(mine, Range):
        return None
    if wanted == UNIT and kind.dtype is DType.U8 and not UNIT.interval.contains(mine.interval):
        return CONVERSIONS[("u8", "Unit")]
    if wanted == SIGNED and mine != SIGNED and UNIT.interval.contains(mine.interval):
        return CONVERSIONS[("Unit", "Signed")]
    if (
        wanted == UNIT
        and not UNIT.interval.contains(mine.interval)
        and SIGNED.interval.contains(mine.interval)
    ):
        return CONVERSIONS[("Signed", "Unit")]
    return None


def _same_shape(checker: BodyChecker, written: tree.TypeExpr, axes: Axes, target: Axes) -> bool:
    if len(axes) == len(target):
        notes = tuple(
            not_equal_note(a.size, b.size, i)
            for i, (a, b) in enumerate(zip(axes, target, strict=True))
            if not a.size.same(b.size)
        )
        if not notes:
            return True
    else:
        notes = ()
    checker.report(
        "E0401",
        written.span,
        f"this `to` gives {shape_text(axes)}, and {shape_text(target)} is written",
        notes=notes,
        help=f"write {shape_text(axes)}",
    )
    return False


def _shown(target: TensorType, kind: TensorType) -> str:
    axes = target.axes if target.axes is not None else kind.axes
    over = None
    if isinstance(target.domain, Semantic) and axes and target.domain.over < len(axes):
        over = str(axes[target.domain.over])
    return domain_text(target.domain, over) or "Real"


def _nothing(checker: BodyChecker, at: Span, what: str) -> None:
    checker.report(
        "E0504", at, f"this is {what} already, so there is nothing to convert", help="leave the `to` out"
    )


def _no_conversion(
    checker: BodyChecker, at: Span, value: Typed, kind: TensorType, target: TensorType, written: tree.TypeExpr
) -> None:
    shown = _shown(target, kind)
    if not written.words:
        checker.report(
            "E0504", at, "a shape alone is no conversion", help="to claim a shape, write as instead of to"
        )
        return
    text = quoting.operand(checker.text(value.span))
    if len(written.words) == 1 and written.words[0].name.text in DTYPES:
        checker.report(
            "E0504",
            at,
            "a conversion of the dtype leaves the shape out",
            help=f"write {text} to {target.dtype}",
        )
        return
    if kind.domain == target.domain:
        _nothing(checker, at, shown)
        return
    checker.report(
        "E0504",
        at,
        f"no conversion goes from {_held(kind)} to {shown}",
        notes=(TABLE,),
        help=_compared(checker, value, target.domain) or _instead(text, shown, kind, target.domain),
    )


def _compared(checker: BodyChecker, value: Typed, wanted: Domain) -> str | None:
    """What to write where a comparison was to be converted, and its right side is, as in `a == b to Binary`."""
    before = checker.source[: value.span.start].rstrip()
    operator = next((o for o in ("==", "!=", "<=", ">=", "<", ">") if before.endswith(o)), None)
    if operator is None or wanted not in (BINARY, ADDITIVE):
        return None
    return f"`to` binds tighter than `{operator}`: put the comparison in parentheses"


def _held(kind: TensorType) -> str:
    """What a tensor holds: its domain, or its dtype where whole numbers may be any."""
    whole = kind.dtype is not None and kind.dtype.kind == "int"
    domain = _shown(kind, kind)
    return str(kind.dtype) if whole and domain == "Real" else domain


def _instead(value: str, shown: str, kind: TensorType, wanted: Domain) -> str | None:
    """What to write in place of a conversion that doesn't exist."""
    mine = kind.domain
    if isinstance(mine, IndexOf) and wanted == BINARY:
        return f"write the shape of the result too: {value} to {shape_text(_one_hot_axes(kind))} Binary"
    if is_mask(wanted):
        return f"compare it: {value} != 0"
    if is_mask(mine):
        return f"for the numbers 0 and 1, write {value} to Binary"
    if contradiction(mine, wanted) is not None:
        return None
    if isinstance(wanted, IndexOf) and kind.dtype is not None and not kind.dtype.is_int:
        return f"if its values are always such whole numbers, say so: ({value} to i64) as {shown}"
    if isinstance(mine, Semantic) and mine.kind == "Prob" and wanted == SIGNED:
        return f"give its values a range first: ({value} as Unit) to {shown}"
    if domain_fits(mine, wanted):
        return "it fits as it is: leave the `to` out"
    return f"if its values are always {shown}, say so: {value} as {shown}"


__all__ = ["convert", "find_conversion"]
