"""Types indexing."""

from __future__ import annotations

from shapescript_check.bodies.chains.independence import mentions, refuse, sliced_by_element
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.fits import not_equal_note
from shapescript_check.bodies.lining_up import lining_up
from shapescript_check.operations.broadcasting import line_up
from shapescript_check.operations.call import Operand, Refused
from shapescript_check.operations.forms.causal import OPERATION as CAUSAL
from shapescript_check.operations.forms.indexing import OPERATION as INDEXING
from shapescript_check.operations.forms.indexing import At, Indices, Item, Part, Pick, Where
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Apply, PythonIndex, Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_check.types.domains import MASK, Domain, IndexOf, Range, Semantic
from shapescript_check.types.dtypes import DType, Tier
from shapescript_check.types.values import (
    PYTHON,
    ErrorType,
    HostType,
    PythonType,
    ResultsType,
    StringType,
    TensorType,
)
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


def type_index(checker: BodyChecker, syntax: tree.Index) -> Typed:
    """`value[indices]`, or `causal[n m]`."""
    value_syntax = syntax.value
    if isinstance(value_syntax, tree.Ident) and value_syntax.name == "causal":
        if "causal" not in checker.scope.values and checker.interface("causal") is None:
            return _causal(checker, syntax)
    value = checker.expression(value_syntax)
    indexer = _Indexer(checker, syntax, value)
    return indexer.check()


def _causal(checker: BodyChecker, syntax: tree.Index) -> Typed:
    entries = (
        syntax.indices[0].items
        if len(syntax.indices) == 1 and isinstance(syntax.indices[0], tree.Juxtaposed)
        else ()
    )
    if len(entries) != 2 or not all(isinstance(e, tree.Ident) for e in entries):
        checker.report(
            "E0406",
            syntax.span,
            "`causal` takes two axis names with a space between",
            help="write causal[n m]",
        )
        return checker.unresolved(syntax.span)
    axes: list[Axis] = []
    for entry in entries:
        assert isinstance(entry, tree.Ident)
        size = checker.axis_size(entry.name)
        if size is None:
            near = closest(entry.name, checker.scope.axes)
            checker.report(
                "E0301",
                entry.span,
                f"no axis named `{entry.name}` is in scope",
                help=f"did you mean `{near}`?" if near else None,
            )
            return checker.unresolved(syntax.span)
        axes.append(Axis(size, entry.name))
    return Apply(syntax.span, TensorType(tuple(axes), DType.BOOL, MASK), CAUSAL, ())


class _Indexer:
    """One indexing expression: goes through the indices with the axes that they are for."""

    def __init__(self, checker: BodyChecker, syntax: tree.Index, value: Typed) -> None:
        self.checker = checker
        self.syntax = syntax
        self.value = value
        self.items: list[Item] = []
        self.operands: list[Typed] = [value]
        self.result: list[Axis] = []
        self.moved_to: dict[int, int] = {}
        self.tensors: list[tuple[int, Operand]] = []
        self.tensor_place: int | None = None
        self.tensor_items: list[int] = []

    def refuse(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        labels: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str | None = None,
    ) -> None:
        self.checker.report(code, span, message, labels=labels, notes=notes, help=help)
        raise Refused

    def shape_label(self) -> tuple[Label, ...]:
        """A label that shows the shape of what is indexed."""
        kind = self.value.type
        return (Label(self.value.span, shape_text(kind.axes)),) if isinstance(kind, TensorType) else ()

    def check(self) -> Typed:
        kind = self.value.type
        if isinstance(kind, ErrorType):
            return self.checker.unresolved(self.syntax.span)
        try:
            parts = [self._typed(i) for i in self.syntax.indices]
            if isinstance(kind, PythonType) or any(_is_python(p) for p in parts):
                return PythonIndex(self.syntax.span, PYTHON, self.value, tuple(parts))
            if not isinstance(kind, TensorType):
                self._not_indexed(kind)
            assert isinstance(kind, TensorType)
            if kind.axes is None:
                self.refuse(
                    "E0403",
                    self.syntax.span,
                    "a value of any shape can't be indexed",
                    help="give the parameter a shape",
                )
            return self._tensor(kind, kind.axes or (), parts)
        except Refused:
            return self.checker.unresolved(self.syntax.span)

    def _not_indexed(self, kind: object) -> None:
        code = "E0412" if isinstance(kind, StringType | ResultsType) else "E0403"
        self.refuse(code, self.value.span, f"this is {kind}, which has no axes to index")

    def _typed(self, syntax: tree.Expr | tree.Slice | tree.Juxtaposed) -> Typed | tuple[Typed | None, ...]:
        if isinstance(syntax, tree.Juxtaposed):
            self.refuse(
                "E0406",
                syntax.span,
                "indices are separated by commas",
                help="only causal[n m] takes names with spaces between",
            )
        if isinstance(syntax, tree.Slice):
            return tuple(
                self._bound(b) if b is not None else None for b in (syntax.lo, syntax.hi, syntax.step)
            )
        assert not isinstance(syntax, tree.Juxtaposed)
        typed = self.checker.expression(syntax)
        if isinstance(typed.type, ErrorType):
            raise Refused
        return typed

    def _bound(self, syntax: tree.Expr) -> Typed:
        typed = self.checker.expression(syntax)
        kind = typed.type
        if isinstance(kind, ErrorType):
            raise Refused
        if isinstance(kind, TensorType) and mentions(typed, self.checker.elements):
            refuse(self.checker, sliced_by_element(syntax.span))
            raise Refused
        if not (isinstance(kind, PythonType) or (isinstance(kind, HostType) and kind.kind == "int")):
            self.refuse(
                "E0406",
                syntax.span,
                f"a slice's bounds are ints, and this is {'a float' if str(kind) == 'float' else kind}",
            )
        return typed

    # --- a tensor's indices ---

    def _tensor(self, kind: TensorType, axes: Axes, parts: list[Typed | tuple[Typed | None, ...]]) -> Typed:
        at = 0
        for syntax, part in zip(self.syntax.indices, parts, strict=True):
            width = _width(part)
            if at + width > len(axes):
                self.refuse(
                    "E0403",
                    syntax.span,
                    f"{shape_text(axes)} has {_axes(len(axes))}, and this index is for one more",
                )
            if isinstance(part, tuple):
                self._slice(axes[at], at, part, syntax.span)
            elif isinstance(part.type, HostType):
                self._at(axes[at], part, part.type)
            elif isinstance(part.type, TensorType) and part.type.is_mask:
                self._mask(axes[at : at + width], part, part.type)
            elif isinstance(part.type, TensorType):
                self._pick(axes[at], part, part.type)
            else:
                self.refuse("E0406", part.span, f"{part.type} can't be an index")
            at += width
        indices = self._lined_up_tensors()
        for i in range(at, len(axes)):
            self.moved_to[i] = len(self.result)
            self.result.append(axes[i])
        domain = self._domain(kind.domain)
        return Apply(
            self.syntax.span,
            TensorType(tuple(self.result), kind.dtype, domain),
            INDEXING,
            tuple(self.operands),
            (),
            indices,
        )

    def _domain(self, domain: Domain) -> Domain:
        if isinstance(domain, Semantic):
            if domain.over not in self.moved_to:
                return Range(domain.interval)
            return Semantic(domain.kind, self.moved_to[domain.over])
        return domain

    def _at(self, axis: Axis, part: Typed, kind: HostType) -> None:
        if kind.kind != "int":
            self.refuse("E0406", part.span, f"an index is an int, and this is a {kind.kind}")
        size, index = axis.size.as_int(), kind.size.as_int() if kind.size is not None else None
        if size is not None and index is not None and not -size <= index < size:
            self.refuse("E0406", part.span, f"index {index} is outside an axis of size {size}")
        self.items.append(At(part))

    def _slice(self, axis: Axis, at: int, part: tuple[Typed | None, ...], span: Span) -> None:
        lo, hi, step = part
        if lo is None and hi is None and step is None:
            self.items.append(Part(None, None, None, True))
            self.moved_to[at] = len(self.result)
            self.result.append(axis)
            return
        sizes = [_size_of(p) for p in part]
        if step is not None and sizes[2] is not None and Size.number(0).surely_at_least(sizes[2]):
            self.refuse(
                "E0406",
                step.span,
                "a slice's step is at least 1",
                help="to reverse an axis, write flip(x, over=n)",
            )
        size = sliced(axis.size, part, sizes)
        whole = size is not None and size.same(axis.size)
        if size is None:
            size = self.checker.fresh_unknown("k")
        self.items.append(Part(lo, hi, step))
        self.result.append(axis if whole else Axis(size))
        if whole and (step is None or sizes[2] == Size.number(1)):
            self.moved_to[at] = len(self.result) - 1

    def _mask(self, axes: Axes, part: Typed, kind: TensorType) -> None:
        for i, (axis, mine) in enumerate(zip(axes, kind.axes or (), strict=True)):
            if not axis.size.same(mine.size):
                self.refuse(
                    "E0401",
                    part.span,
                    f"a mask over {shape_text(kind.axes)} can't choose along {shape_text(axes)}",
                    labels=self.shape_label(),
                    notes=(not_equal_note(mine.size, axis.size, i),),
                )
            if axis.name is not None and mine.name is not None and axis.name != mine.name:
                self.refuse(
                    "E0404",
                    part.span,
                    f"the mask's axis `{mine.name}` meets the axis `{axis.name}`",
                    labels=self.shape_label(),
                    help=f"if they are one axis, rename one with `as` or rearrange, `{mine.name}` to `{axis.name}`",
                )
        self.operands.append(part)
        self.items.append(Where(len(self.operands) - 1, len(axes)))
        self.result.append(Axis(self.checker.fresh_unknown("k")))
        if sum(isinstance(i, Where | Pick) for i in self.items) > 1:
            self.refuse(
                "E0406",
                part.span,
                "a mask can't share its brackets with another tensor index",
                help="index twice: x[mask][:, ids]",
            )

    def _pick(self, axis: Axis, part: Typed, kind: TensorType) -> None:
        if kind.dtype is None or kind.dtype.kind != "int":
            self.refuse("E0406", part.span, f"{kind} can't be an index: indices are whole numbers")
        if isinstance(kind.domain, IndexOf) and not kind.domain.size.same(axis.size):
            self.refuse(
                "E0507",
                part.span,
                f"indices below {kind.domain.size.text_with_value()} index an axis of size "
                f"{axis.size.text_with_value()}",
                labels=self.shape_label(),
            )
        if any(isinstance(i, Where) for i in self.items):
            self.refuse(
                "E0406",
                part.span,
                "a mask can't share its brackets with another tensor index",
                help="index twice: x[mask][:, ids]",
            )
        self.operands.append(part)
        if not kind.axes:
            # torch takes it for an int.
            self.items.append(Pick(len(self.operands) - 1, (), 0))
            return
        if self.tensor_place is None:
            self.tensor_place = len(self.result)
        self.tensor_items.append(len(self.items))
        operand = Operand(part, kind.axes, kind.dtype, kind.domain, Tier.TENSOR)
        self.tensors.append((len(self.operands) - 1, operand))
        self.items.append(Pick(len(self.operands) - 1, (), 0))

    def _lined_up_tensors(self) -> Indices:
        if self.tensor_place is None:
            return Indices(tuple(self.items))
        call = lining_up(self.checker, "index", self.syntax.span, self.syntax.span)
        lined = line_up(call, [o for _, o in self.tensors])
        axes = lined.axes or ()
        for item, (operand, _), positions in zip(
            self.tensor_items, self.tensors, lined.alignment, strict=True
        ):
            self.items[item] = Pick(operand, positions, len(axes))
        place = self.tensor_place
        self.result[place:place] = axes
        self.moved_to = {a: r + len(axes) if r >= place else r for a, r in self.moved_to.items()}
        kept = [i for i, item in enumerate(self.items) if not _takes_one(item)]
        picks = [kept.index(i) for i in self.tensor_items]
        apart = picks != list(range(picks[0], picks[0] + len(picks)))
        return Indices(tuple(self.items), len(axes) if apart and place else 0, place)


def _takes_one(item: Item) -> bool:
    """Whether an index takes a single position of its axis."""
    return isinstance(item, At) or (isinstance(item, Pick) and not item.rank)


def _axes(n: int) -> str:
    return "no axes" if n == 0 else "1 axis" if n == 1 else f"{n} axes"


def _is_python(part: Typed | tuple[Typed | None, ...]) -> bool:
    parts = part if isinstance(part, tuple) else (part,)
    return any(p is not None and isinstance(p.type, PythonType) for p in parts)


def _width(part: Typed | tuple[Typed | None, ...]) -> int:
    """How many axes an index takes."""
    if not isinstance(part, tuple) and isinstance(part.type, TensorType) and part.type.is_mask:
        return len(part.type.axes or ())
    return 1


def _size_of(part: Typed | None) -> Size | None:
    return part.type.size if part is not None and isinstance(part.type, HostType) else None


def sliced(axis: Size, part: tuple[Typed | None, ...], sizes: list[Size | None]) -> Size | None:
    """The exact size of a slice, where it can be proven; None where only run time knows."""
    if any(p is not None and s is None for p, s in zip(part, sizes, strict=True)):
        return None
    lo, hi, step = sizes
    known = [s.as_int() if s is not None else None for s in sizes]
    whole = axis.as_int()
    if whole is not None and all(k is not None or s is None for k, s in zip(known, sizes, strict=True)):
        return Size.number(len(range(*slice(*known).indices(whole))))
    first = _counted(lo, axis) if lo is not None else Size.number(0)
    last = _counted(hi, axis) if hi is not None else axis
    if not (first.surely_at_least(0) and last.surely_at_least(first) and axis.surely_at_least(last)):
        return None
    length = last - first
    if step is None or step == Size.number(1):
        return length
    number, stride = length.as_int(), step.as_int()
    if number is not None and stride is not None:
        return Size.number(-(-number // stride))
    return Size.divide(length, step)


def _counted(bound: Size, axis: Size) -> Size:
    """A bound that is surely negative counts from the end."""
    return axis + bound if (Size.number(-1)).surely_at_least(bound) else bound
