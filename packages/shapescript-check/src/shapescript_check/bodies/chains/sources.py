"""What a chain iterates: an axis's indices, a range's, or a tensor's slices."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.interfaces import DataInterface
from shapescript_check.operations import axis_words
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Indices, Iterated, Mapped, Typed
from shapescript_check.types.axes import Axes, Axis, named, position, shape_text
from shapescript_check.types.domains import IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.entities import RecordType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import ErrorType, HostType, PythonType, TensorType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


def start_of_chain(checker: BodyChecker, syntax: tree.Expr) -> Typed:
    """The input of a chain's first iterator stage: sizes and ranges become their indices."""
    if isinstance(syntax, tree.Range):
        return _range(checker, syntax)
    typed = checker.expression(syntax)
    kind = typed.type
    if isinstance(kind, HostType) and kind.kind == "int" and kind.size is not None:
        return indices(syntax.span, kind.size)
    return typed


def _range(checker: BodyChecker, syntax: tree.Range) -> Typed:
    ends = []
    for end in (syntax.lo, syntax.hi):
        kind = checker.expression(end).type
        if isinstance(kind, ErrorType):
            return checker.unresolved(syntax.span)
        if not isinstance(kind, HostType) or kind.size is None:
            checker.report(
                "E2401",
                end.span,
                "a chain's range has ends that are known from the types, and this is only known when the program runs",
                help="iterate an axis, as in n |> map(i => ...)",
            )
            return checker.unresolved(syntax.span)
        ends.append(kind.size)
    lo, hi = ends
    return indices(syntax.span, hi) if lo == Size.number(0) else indices(syntax.span, hi, lo)


def indices(span: Span, hi: Size, lo: Size | None = None) -> Indices:
    """The whole numbers below a size, or from `lo` up to it."""
    if lo is None:
        return Indices(span, TensorType((Axis(hi, hi.name),), DType.I64, IndexOf(hi)), None, hi)
    first, last = lo.as_int(), hi.as_int()
    interval = (
        Interval.whole(first, max(first, last - 1))
        if first is not None and last is not None
        else Interval.REAL
    )
    return Indices(span, TensorType((Axis(hi - lo),), DType.I64, Range(interval)), lo, hi)


def iterated(
    checker: BodyChecker, value: Typed, over: tree.Ident | None, at: Span, stage: str
) -> Iterated | None:
    """A tensor as a stage iterates it; None once it is reported why it can't."""
    kind = value.type
    if not isinstance(kind, TensorType) or kind.axes is None or not kind.axes:
        if not isinstance(kind, ErrorType):
            checker.report(
                "E2401",
                value.span,
                f"`{stage}` iterates an axis or a tensor, and this is {_shown(kind)}",
                help=_instead(checker, value, stage),
            )
        return None
    if isinstance(value, Indices):
        size = value.hi - value.lo if value.lo is not None else value.hi
        bound = size.as_int()
        if bound is not None and bound < 1:
            checker.report("E2401", value.span, f"a chain iterates at least one element, and this is {bound}")
            return None
    axis = _axis(checker, value, kind.axes, over, at, stage)
    return Iterated(value, axis) if axis is not None else None


def _shown(kind: ValueType) -> str:
    if isinstance(kind, HostType) and kind.kind == "int":
        return "an int that is only known when the program runs"
    if isinstance(kind, TensorType) and kind.axes == ():
        return f"a tensor without axes, {kind}"
    return described(kind)


def _instead(checker: BodyChecker, value: Typed, stage: str) -> str:
    text = checker.text(value.span)
    kind = value.type
    if isinstance(kind, PythonType):
        shaped = f"{quoting.operand(text)} as [n D]"
        return f"give it a shape first, as in {shaped if stage == 'zip' else f'({shaped}) |> {stage}(..., over=n)'}"
    if isinstance(kind, RecordType) and kind.axes:
        record = checker.interface(kind.name)
        fields = [name for name, _ in record.fields] if isinstance(record, DataInterface) else []
        return f"iterate a field of it, such as {text}.{fields[0] if fields else 'x'}"
    if isinstance(kind, TensorType) and kind.axes is None:
        return f"give the parameter a shape, as in {text}: [n D]"
    if stage in ("map", "filter"):
        return f"iterate an axis of the types, as in n |> {stage}(i => ...)"
    return "iterate an axis of the types, such as n, or a tensor with one"


def _axis(
    checker: BodyChecker, value: Typed, axes: Axes, over: tree.Ident | None, at: Span, stage: str
) -> int | None:
    if over is not None:
        found = position(axes, over.name)
        if found is None:
            near = closest(over.name, named(axes))
            checker.report(
                "E0405",
                over.span,
                f"{shape_text(axes)} has no axis named `{over.name}`",
                help=f"did you mean `{near}`?" if near else axis_words.naming(checker, axes, over.name),
            )
        return found
    if len(axes) == 1 or isinstance(value, Mapped):
        return 0
    names = named(axes)
    checker.report(
        "E0406",
        at,
        f"`{stage}` needs the axis to iterate: {shape_text(axes)} has several",
        help=f"name it: over={names[0]}" if names else "name the axes of the type",
    )
    return None


def element_of(source: Iterated) -> TensorType:
    """The type of one element: the tensor's, without the iterated axis."""
    kind = source.value.type
    assert isinstance(kind, TensorType) and kind.axes is not None
    axes = (*kind.axes[: source.axis], *kind.axes[source.axis + 1 :])
    domain = kind.domain
    if isinstance(domain, Semantic):
        if domain.over == source.axis:
            domain = Range(domain.interval)
        else:
            domain = Semantic(domain.kind, domain.over - (domain.over > source.axis))
    return TensorType(axes, kind.dtype, domain)


def axis_of(source: Iterated) -> Axis:
    """The axis that is iterated."""
    kind = source.value.type
    assert isinstance(kind, TensorType) and kind.axes is not None
    return kind.axes[source.axis]
