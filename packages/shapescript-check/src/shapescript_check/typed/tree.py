"""The typed tree of a function's body.

Every name, overload, default and broadcast is decided here: what follows (plans, the code generator) never
looks at source or scopes again. Each node has the span it came from and its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from shapescript_check.sizes import Size, Symbol
from shapescript_check.types.axes import Axes
from shapescript_check.types.values import ValueType
from shapescript_syntax.records import node
from shapescript_syntax.spans import Span

if TYPE_CHECKING:
    from shapescript_check.operations.operation import Operation


@node
class Literal:
    """A number, a bool, a string or infinity, as a Python constant."""

    span: Span
    type: ValueType
    value: int | float | bool | str | None


@node
class Local:
    """A value of the function, by name. A Python module or variable is one too."""

    span: Span
    type: ValueType
    name: str


@node
class SizeValue:
    """A dim's or an axis's size as a host int."""

    span: Span
    type: ValueType
    size: Size


@node
class Apply:
    """A built-in operation applied to operands.

    `alignment` says, for operations that line their operands up, where each operand's axes are in the result
    (one tuple of positions per operand); it is empty where operands are used as they are. `detail` is whatever
    else the operation decided, in a form that is its own.
    """

    span: Span
    type: ValueType
    operation: Operation
    operands: tuple[Typed, ...]
    alignment: tuple[tuple[int, ...], ...] = ()
    detail: Any = None


@node
class Host:
    """An operator on host scalars or Python values, which Python's own operator computes.

    `op` is as in the source: `+ - * / @`, a comparison, `and`, `or`, or for one operand `-` and `!`.
    """

    span: Span
    type: ValueType
    op: str
    operands: tuple[Typed, ...]


@node
class CallFn:
    """A call of a function of the program. `arguments` are in the order of its parameters; None where a default
    is used. `bindings` are the callee's generic sizes."""

    span: Span
    type: ValueType
    name: str
    arguments: tuple[tuple[str, Typed | None], ...]
    bindings: dict[Symbol, Size]
    elementwise: tuple[tuple[int, ...], ...] = ()


@node
class CallExtern:
    """A call of a Python function that an `extern fn` (or the prelude) gives a type.

    `arguments` pair the Python parameter's name with a typed value, an axis position (int), a list of them, or a
    size; missing defaults are left out. `positional` counts how many come by position.
    """

    span: Span
    type: ValueType
    name: str
    path: str
    arguments: tuple[tuple[str, Any], ...]
    positional: int
    math: str | None = None
    alignment: tuple[tuple[int, ...], ...] = ()


@node
class PythonAttribute:
    """A member of a Python value."""

    span: Span
    type: ValueType
    value: Typed
    name: str


@node
class PythonCall:
    """A call of a Python value; keyword arguments have a name."""

    span: Span
    type: ValueType
    callee: Typed
    arguments: tuple[tuple[str | None, Typed], ...]


@node
class PythonIndex:
    """Indexing where the value or an index is a Python value. A slice is a tuple of three."""

    span: Span
    type: ValueType
    value: Typed
    indices: tuple[Any, ...]


@node
class Assert:
    """`value as T`. `axes` are checked where they are not None, and `domain_checked` says whether values are.

    `introduced` are the unknown sizes that T names with `?k`, each with the axis it is.
    """

    span: Span
    type: ValueType
    value: Typed
    text: str
    axes: Axes | None
    domain_checked: bool
    where: Span


@node
class FieldOf:
    """`value.name`: a field of a model, a gradient, a batch or a logs record."""

    span: Span
    type: ValueType
    value: Typed
    name: str


@node
class MakeModel:
    """`Mlp.init(seed=s)`."""

    span: Span
    type: ValueType
    name: str
    seed: Typed


@node
class MakeLogs:
    """`StepLogs(loss=l, ...)`, its metrics in the order they are declared."""

    span: Span
    type: ValueType
    name: str
    metrics: tuple[tuple[str, Typed], ...]


@node
class MakeMode:
    """`Train(seed=s)` or `Sample(seed=s)`, by its name, or `Eval`, whose `seed` is None."""

    span: Span
    type: ValueType
    name: str
    seed: Typed | None


@node
class SinkCall:
    """`sink.write(record)` or `sink.flush()`."""

    span: Span
    type: ValueType
    sink: Typed
    method: str
    record: Typed | None


@node
class Iterated:
    """A tensor along one of its axes, as an iterator stage takes it."""

    value: Typed
    axis: int


@node
class Indices:
    """The indices of a size, or from `lo` up to `hi`, as a tensor of one axis."""

    span: Span
    type: ValueType
    lo: Size | None
    hi: Size


@node
class Mapped:
    """`map`: a function of each element, along the first axis of the result.

    `stage` is where `map(...)` is, without its input. `names` are the function's parameters, one for each source.
    `whole` is the body on whole tensors where the function is elementwise; otherwise torch.vmap runs `body`.
    """

    span: Span
    stage: Span
    type: ValueType
    sources: tuple[Iterated, ...]
    names: tuple[str, ...]
    body: Typed
    whole: Typed | None


@node
class Moved:
    """An iterated tensor with the axis it is iterated along first."""

    span: Span
    type: ValueType
    source: Iterated


@node
class Filtered:
    """The elements of an iterated tensor where a mask over them is true, along the first axis."""

    span: Span
    type: ValueType
    source: Iterated
    mask: Mapped


@node
class Paired:
    """What `zip` and `enumerate` give, which a lambda takes apart; never a value."""

    span: Span
    type: ValueType
    sources: tuple[Iterated, ...]


@node
class Unresolved:
    """An expression that has been reported. No code is generated from a file that has one."""

    span: Span
    type: ValueType


Typed: TypeAlias = (
    "Literal | Local | SizeValue | Apply | Host | CallFn | CallExtern | PythonAttribute | PythonCall | PythonIndex"
    " | Assert | FieldOf | MakeModel | MakeLogs | MakeMode | SinkCall"
    " | Indices | Mapped | Moved | Filtered | Paired | Unresolved"
)


# --- statements --------------------------------------------------------------------------------------------


@node
class BindTo:
    """`names = value`; several names take several results."""

    span: Span
    names: tuple[str, ...]
    value: Typed


@node
class Evaluate:
    """An expression whose value is not used."""

    span: Span
    value: Typed


@node
class ReturnValue:
    span: Span
    value: Typed | None


@node
class CountLoop:
    """`for name in lo..hi`."""

    span: Span
    header: Span
    name: str
    lo: Typed
    hi: Typed
    body: tuple[Statement, ...]


@node
class EachLoop:
    """`for name in value`, over a Python value."""

    span: Span
    header: Span
    name: str
    value: Typed
    body: tuple[Statement, ...]


@node
class SetField:
    """`target.field = value`, which changes a model."""

    span: Span
    target: str
    field: str
    value: Typed


@node
class BatchLoop:
    """`for name in dataset |> batches(n)`; `axis` is the size of the batch axis, unknown and new for each loop."""

    span: Span
    header: Span
    name: str
    batches: Typed
    axis: Symbol
    body: tuple[Statement, ...]


@node
class Branch:
    span: Span
    header: Span
    condition: Typed
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...] | None


Statement: TypeAlias = (
    "BindTo | Evaluate | ReturnValue | SetField | CountLoop | EachLoop | BatchLoop | Branch"
)


@node
class Body:
    """The checked body of one function."""

    statements: tuple[Statement, ...]
    returns: ValueType
    broken: bool = False
    """Whether something in it is wrong, so that what it reads and depends on isn't known."""
