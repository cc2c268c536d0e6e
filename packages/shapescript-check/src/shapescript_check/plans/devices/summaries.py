"""What the plan for several devices needs to know of a body, found in one walk over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapescript_check.sizes import Size, Symbol
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import Part, parts_of
from shapescript_check.types.axes import Axes, Axis
from shapescript_check.types.entities import GradType, ModelType, OptimizerType, RecordType
from shapescript_check.types.values import PythonType, ResultsType, TensorType, ValueType
from shapescript_syntax.records import node
from shapescript_syntax.spans import Span

ANY_SHAPE: Axes = (Axis(Size.of(Symbol.generic("..."))),)
"""Stands for the axes of a value without a shape, as in a function that is elementwise."""

_ON_DEVICES = (TensorType, ModelType, RecordType, GradType, OptimizerType)
_PYTHON = (typed.PythonAttribute, typed.PythonCall, typed.PythonIndex)


@node
class Use:
    """A value with axes, and where it is."""

    span: Span
    axes: Axes


@node
class Call:
    """A call of a function of the program, with the axes of each argument that has some."""

    span: Span
    name: str
    arguments: tuple[tuple[str, Axes], ...]


@node
class Stage:
    """A `map` or `filter` that is in no other stage's function.

    `uses` are the values that it goes through, and one of each shape that its function computes with; `calls` are
    those in its function. `before` are the stages that its input comes from.
    """

    span: Span
    uses: tuple[Use, ...]
    calls: tuple[Call, ...]
    before: tuple[Stage, ...]


@node
class Summary:
    """One body.

    Attributes:
        once: whether it does what happens once, whatever the devices: output, files, Python, a loop over a dataset.
        on_devices: whether it has tensors, models, batches, gradients or optimizer state.
        shapes: the axes of its values, each once.
        asserted: for each `as` with a shape, the axes that were known and those that are claimed.
        batches: the sizes of the batches that it loops over.
        calls: its calls of functions of the program, those in stages too.
        stages: its stages, each after those that its input comes from.
    """

    once: bool
    on_devices: bool
    shapes: frozenset[Axes]
    asserted: tuple[tuple[Axes, Axes], ...]
    batches: tuple[Symbol, ...]
    calls: tuple[Call, ...]
    stages: tuple[Stage, ...]


def summary(body: typed.Body) -> Summary:
    """The summary of a function's body. A pure function of it."""
    walk = _Walk()
    walk.parts((body.statements,))
    return Summary(
        walk.once,
        walk.on_devices,
        frozenset(walk.shapes),
        tuple(walk.asserted),
        tuple(walk.batches),
        tuple(walk.calls),
        tuple(walk.stages),
    )


def axes_of(kind: object) -> Axes:
    """The axes of a value's or parameter's type: none for a value that isn't a tensor or a batch."""
    if isinstance(kind, TensorType):
        return ANY_SHAPE if kind.axes is None else kind.axes
    return kind.axes if isinstance(kind, RecordType) else ()


def is_on_devices(kind: object) -> bool:
    """Whether a value of a type is on the devices: a tensor, a model, a batch, a gradient, optimizer state."""
    if isinstance(kind, ResultsType):
        return any(is_on_devices(item) for item in kind.items)
    return isinstance(kind, _ON_DEVICES)


class _Walk:
    """What has been found so far. `uses` is a list inside of a stage's function, and None outside."""

    def __init__(self) -> None:
        self.once = False
        self.on_devices = False
        self.shapes: set[Axes] = set()
        self.asserted: list[tuple[Axes, Axes]] = []
        self.batches: list[Symbol] = []
        self.calls: list[Call] = []
        self.stages: list[Stage] = []
        self.uses: list[Use] | None = None
        self.seen: set[int] = set()
        """The stages gone through: the parts of a filter of pairs share one mask."""

    def parts(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if not isinstance(part, tuple):
                self.expression(part)
                continue
            for statement in part:
                self.statement(statement)

    def statement(self, statement: typed.Statement) -> None:
        if isinstance(statement, typed.BatchLoop):
            self.once = True
            self.batches.append(statement.axis)
        elif isinstance(statement, typed.EachLoop):
            self.once = True
        elif isinstance(statement, typed.SetField):
            self.on_devices = True
        self.parts(parts_of(statement))

    def expression(self, expression: typed.Typed) -> None:
        # What is read from a batch is shown rather than the batch, and of anything else the innermost part.
        outer_first = isinstance(expression, typed.FieldOf)
        if outer_first:
            self.value(expression.span, expression.type)
        if isinstance(expression, typed.Filtered):
            self.filtered(expression)
        elif isinstance(expression, typed.Mapped):
            self.stage(expression.stage, expression.sources, expression.body)
        else:
            self.parts(parts_of(expression))
            self.effect(expression)
        if not outer_first:
            self.value(expression.span, expression.type)

    def value(self, span: Span, kind: ValueType) -> None:
        self.on_devices = self.on_devices or is_on_devices(kind)
        axes = axes_of(kind)
        if axes:
            self.shapes.add(axes)
            if self.uses is not None:
                self.uses.append(Use(span, axes))

    def effect(self, expression: typed.Typed) -> None:
        if isinstance(expression, typed.CallFn):
            given = [(name, axes_of(a.type)) for name, a in expression.arguments if a is not None]
            called = Call(expression.span, expression.name, tuple((n, axes) for n, axes in given if axes))
            self.calls.append(called)
        elif isinstance(expression, typed.Assert) and expression.axes is not None:
            self.asserted.append((axes_of(expression.value.type), expression.axes))
        elif isinstance(expression, typed.Apply):
            self.once = self.once or expression.operation.once
        elif isinstance(expression, (*_PYTHON, typed.SinkCall)) or isinstance(expression.type, PythonType):
            self.once = True
        elif isinstance(expression, typed.Unresolved):
            self.once = True  # It may have been any of these, and nothing is said on a guess.

    def filtered(self, filtered: typed.Filtered) -> None:
        mask = filtered.mask
        self.stage(mask.stage, mask.sources, mask.body)

    def stage(self, span: Span, sources: Sequence[typed.Iterated], body: typed.Typed) -> None:
        if id(body) in self.seen:
            return
        self.seen.add(id(body))
        first_stage = len(self.stages)
        for source in sources:
            self.expression(source.value)
        before = tuple(self.stages[first_stage:])
        outer, self.uses = self.uses, []
        # The positions of `enumerate` stand where the whole chain does, so they are named last.
        values = sorted((s.value for s in sources), key=lambda value: isinstance(value, typed.Indices))
        for value in values:
            self.value(value.span, value.type)
        first_call, first_inside = len(self.calls), len(self.stages)
        self.expression(body)
        uses, self.uses = self.uses, outer
        del self.stages[first_inside:]
        if outer is not None:
            outer += uses
        elif all(stage.span != span for stage in before):
            # Of a filter's two nodes, the mask and the map that passes on what is kept, the first is enough.
            first_of_shape: dict[Axes, Use] = {}
            for use in uses:
                first_of_shape.setdefault(use.axes, use)
            found = Stage(span, tuple(first_of_shape.values()), tuple(self.calls[first_call:]), before)
            self.stages.append(found)
