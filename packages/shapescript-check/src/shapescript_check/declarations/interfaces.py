"""The interface of a declaration: what others may know of it.

Interfaces have no spans and are compared by value. A checked body remembers which ones it read, so an edit that
leaves an interface equal leaves everything that read it standing.
"""

from __future__ import annotations

from typing import ClassVar

from shapescript_check.sizes import Size, Symbol
from shapescript_check.types.axes import Axes
from shapescript_check.types.entities import RecordType, is_entity
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.records import value


@value
class DimInterface:
    """A dim and its value; `size` is its symbol."""

    name: str
    value: int

    @property
    def size(self) -> Size:
        return Size.of(Symbol.dim(self.name, self.value))


@value
class AliasInterface:
    """A shape alias. Its axes are looked up where it is used; `text` decides whether two are equal."""

    name: str
    text: str
    shape: tree.ShapeExpr

    _uncompared: ClassVar = ("shape",)


@value
class DomainInterface:
    name: str
    interval: Interval


@value
class PythonModule:
    """A name that `import python` binds, and the modules that it makes available, such as `torch.nn`."""

    name: str
    modules: tuple[str, ...]


@value
class AxisParameter:
    """`over: Axis[n]`: the name of an axis of the first argument. `plural` is `Axes[n]`."""

    symbol: Symbol
    size: Size
    plural: bool

    def __str__(self) -> str:
        return f"{'Axes' if self.plural else 'Axis'}[{self.size}]"


@value
class SizeParameter:
    """`stride: Size[S]`: a whole number that is known before the program runs."""

    symbol: Symbol
    size: Size

    def __str__(self) -> str:
        return f"Size[{self.size}]"


@value
class AnyNumber:
    """A parameter with only a default: any number of the default's kind, `int` or `float` (or a `bool`)."""

    kind: str

    def __str__(self) -> str:
        return self.kind


ParameterType = ValueType | AxisParameter | SizeParameter | AnyNumber


@value
class ParameterInterface:
    """A parameter. `default` is its value where it may be left out: a number or a bool, a size for a
    `Size[..]` parameter, or `...` for an extern function's `none`."""

    name: str
    type: ParameterType
    has_default: bool = False
    default: int | float | bool | Size | None = None
    mut: bool = False


@value
class Rounded:
    """A size with a division that rounds down, in the return type of an `extern fn`: `op` on two sizes."""

    op: str
    left: Size | Rounded
    right: Size | Rounded


@value
class FnInterface:
    """A function, an `extern fn` (then `path` is its Python name) or a prelude stub.

    `returns` is the declared return type, None without one; `declares_return` tells `-> T` from its absence.
    `generics` are the size symbols that a call works out. `rounded` gives, for a symbol that stands for an axis
    of the return type, the size to work out for it at each call. `identity` is what tells it apart from others of its
    name: overloaded functions, and instances of a generic one.
    """

    name: str
    parameters: tuple[ParameterInterface, ...]
    returns: ValueType | None
    generics: tuple[Symbol, ...] = ()
    path: str | None = None
    rounded: tuple[tuple[Symbol, Rounded], ...] = ()
    exported: bool = False
    prelude: bool = False
    identity: str | None = None

    @property
    def key(self) -> str:
        """What its body and its result are asked for by."""
        return self.identity or self.name

    @property
    def elementwise(self) -> bool:
        """Whether no parameter and no declared result has a shape, and some parameter may be a tensor."""
        if isinstance(self.returns, TensorType) and self.returns.axes is not None:
            return False
        if self.returns is not None and not isinstance(self.returns, TensorType):
            return False
        kinds = [p.type for p in self.parameters]
        tensors = [k for k in kinds if isinstance(k, TensorType)]
        plain = all(isinstance(k, TensorType | HostType | AnyNumber) or _has_no_shape(k) for k in kinds)
        return bool(tensors) and plain and all(k.axes is None for k in tensors)


def _has_no_shape(kind: ParameterType) -> bool:
    """Whether a parameter is a model, a mode or another value beside tensors, but no batch of a record."""
    return is_entity(kind) and not (isinstance(kind, RecordType) and kind.axes)


@value
class OverloadsInterface:
    """Functions of one name, each with the model that it takes first and the key of its own interface."""

    name: str
    versions: tuple[tuple[str, str], ...]

    def version(self, model: str) -> str | None:
        """The key of the one for a model."""
        return next((key for taken, key in self.versions if taken == model), None)


@value
class GenericInterface:
    """A function with type variables, in the order that its parameters use them. `item` is checked for each call's
    types; `text` decides whether two are equal."""

    name: str
    variables: tuple[str, ...]
    text: str
    item: tree.Fn

    _uncompared: ClassVar = ("item",)


@value
class FileInterface:
    """A name that an `import` binds: another file."""

    name: str


@value
class Initializer:
    """What a model's field starts as: a word of the table of initializers, and its arguments by name."""

    name: str
    arguments: tuple[tuple[str, int | float | bool], ...] = ()


@value
class FieldInterface:
    """A field of a model: `kind` is `param` or `buffer`."""

    name: str
    kind: str
    type: TensorType
    initializer: Initializer


@value
class ModelInterface:
    """A model and its fields, in the order they are declared; not those that are reported, which are `broken`."""

    name: str
    fields: tuple[FieldInterface, ...]
    broken: tuple[str, ...] = ()

    def field(self, name: str) -> FieldInterface | None:
        return next((f for f in self.fields if f.name == name), None)

    @property
    def params(self) -> tuple[FieldInterface, ...]:
        """The fields that are trained."""
        return tuple(f for f in self.fields if f.kind == "param")


@value
class DataInterface:
    """A data record: the fields of one example, each with its type; not those that are reported, which are `broken`."""

    name: str
    fields: tuple[tuple[str, TensorType], ...]
    broken: tuple[str, ...] = ()


@value
class MetricInterface:
    """A metric of a logs record; `combine` is `mean`, `sum`, `max`, `min` or `last`."""

    name: str
    type: TensorType | HostType
    combine: str


@value
class LogsInterface:
    """A logs record; the metrics that are reported are `broken`."""

    name: str
    metrics: tuple[MetricInterface, ...]
    broken: tuple[str, ...] = ()


@value
class Unsupported:
    """A declaration that this version reads and does not compile yet; `what` names its kind."""

    name: str
    what: str


@value
class Broken:
    """A declaration that has been reported. Using it causes no further report."""

    name: str


Interface = (
    DimInterface
    | AliasInterface
    | DomainInterface
    | PythonModule
    | FnInterface
    | OverloadsInterface
    | GenericInterface
    | FileInterface
    | ModelInterface
    | DataInterface
    | LogsInterface
    | Unsupported
    | Broken
)


IN_TYPES = (DimInterface, AliasInterface, DomainInterface, ModelInterface, DataInterface, LogsInterface)
"""What only types are made of, beside a function's own axes."""

TypeNames = frozenset[tuple[str, type]]
"""Names that types may use, each with the class of its interface, one of IN_TYPES."""


def what_it_is(interface: Interface) -> str:
    """How messages name a kind of declaration."""
    match interface:
        case DimInterface():
            return "a dim"
        case AliasInterface():
            return "a shape alias"
        case DomainInterface():
            return "a domain"
        case PythonModule():
            return "a Python module"
        case FnInterface() | OverloadsInterface() | GenericInterface():
            return "a function"
        case FileInterface():
            return "an imported file"
        case ModelInterface():
            return "a model"
        case DataInterface():
            return "a data record"
        case LogsInterface():
            return "a logs record"
        case Unsupported(what=what):
            return what
        case _:
            return "a declaration"


def axes_of(kind: ParameterType | None) -> Axes | None:
    """The axes of a parameter's or result's type, None for any other kind or a tensor of any shape."""
    return kind.axes if isinstance(kind, TensorType) else None
