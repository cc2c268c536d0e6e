"""A call of a built-in operation as its typing rule sees it: arguments, and ways to say what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Protocol

from shapescript_check import quoting
from shapescript_check.declarations.interfaces import FnInterface, Interface
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Apply, Typed, Unresolved
from shapescript_check.types.axes import Axes, named, position
from shapescript_check.types.domains import MASK, Domain, Range, is_mask
from shapescript_check.types.dtypes import DType, Tier
from shapescript_check.types.entities import GradType
from shapescript_check.types.values import (
    ERROR,
    ErrorType,
    HostType,
    PythonType,
    TensorType,
    ValueType,
)
from shapescript_check.types.wording import GRADIENT_ARITHMETIC, described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Fix, Label
from shapescript_syntax.records import value
from shapescript_syntax.spans import Span

HOST_DTYPES = {"int": DType.I64, "float": DType.F32, "bool": DType.BOOL}


class Refused(Exception):
    """Raised inside a typing rule after it has reported why a call can't be typed."""


class Context(Protocol):
    """What a typing rule may ask of the body checker."""

    def report(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        label: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        help: str | None = None,
        fixes: Iterable[Fix] = (),
    ) -> None:
        """Adds a diagnostic (nothing while a loop's body is checked for its domains only)."""

    def expression(self, syntax: tree.Expr | tree.ShapeExpr) -> Typed:
        """Types an expression."""

    def fresh_unknown(self, name: str) -> Size:
        """A new unknown size, shown as `?name`, numbered if the function has one of that name."""

    def axis_size(self, name: str) -> Size | None:
        """The size that a dim or an axis name in scope stands for."""

    def introduce_axis(self, name: str, size: Size, span: Span) -> None:
        """Brings a new axis name into scope."""

    def resolve_shape(self, shape: tree.ShapeExpr) -> Axes | None:
        """The axes of a shape written in a body, with sizes that are in scope; None once reported."""

    def resolve_size(self, syntax: tree.Expr | tree.ShapeExpr) -> Size | None:
        """The size that an expression is known to be from types alone, silently None otherwise."""

    def text(self, span: Span) -> str:
        """The source text of a span."""

    def declaration(self, name: str) -> Interface | None:
        """What a name of the file, or of the prelude, is declared as, unless a value of the function hides it."""

    def function_for(self, name: tree.Ident, arguments: Sequence[Given]) -> Interface | None:
        """What a name of a function means for the arguments of its call; Broken once something is reported."""

    def call(self, function: FnInterface, arguments: Sequence[Given], span: Span, at: Span) -> Typed:
        """The typed call of a function of the program, as if it were written."""

    def is_unknown(self, syntax: tree.Ident) -> bool:
        """Whether nothing in scope has a name, which is then reported."""

    def params_read(self, function: str) -> frozenset[str] | None:
        """The params of its first parameter that a function may read; None for any of them."""

    def written_type(self, syntax: tree.Expr) -> ValueType | None:
        """The type that an argument is written as; None once it is reported to be none."""


@value
class Operand:
    """An operand that is a number or numbers: a tensor, or a host scalar seen as one of shape []."""

    node: Typed
    axes: Axes | None
    dtype: DType | None
    domain: Domain
    tier: Tier

    @property
    def is_mask(self) -> bool:
        return is_mask(self.domain)


class OperationCall:
    """One call. Rules read arguments through the methods below, which report what is wrong and raise Refused."""

    __slots__ = ("arguments", "callee_span", "context", "operation", "span")

    def __init__(
        self,
        operation: Operation,
        span: Span,
        callee_span: Span,
        arguments: dict[str, list[Given]],
        context: Context,
    ) -> None:
        self.operation = operation
        self.span = span
        self.callee_span = callee_span
        self.arguments = arguments
        self.context = context

    @property
    def shown_name(self) -> str:
        """What was written for the operation: its name, or the operator."""
        return self.context.text(self.callee_span)

    # --- saying what is wrong ---

    def refuse(self, code: str, span: Span, message: str, **more: Any) -> NoReturn:
        """Reports and leaves the typing rule."""
        self.context.report(code, span, message, **more)
        raise Refused

    def stop(self) -> NoReturn:
        """Leaves the typing rule because of something that is reported already."""
        raise Refused

    def warn(self, code: str, span: Span, message: str, **more: Any) -> None:
        """Reports and goes on."""
        self.context.report(code, span, message, **more)

    # --- arguments ---

    def has(self, name: str) -> bool:
        return bool(self.arguments.get(name))

    def given(self, name: str) -> Given:
        return self.arguments[name][0]

    def value(self, name: str) -> Typed:
        """The typed expression given for a parameter."""
        return self._typed(self.given(name))

    def values(self, name: str) -> tuple[Typed, ...]:
        """The typed expressions given for a parameter that takes any number."""
        return tuple(self._typed(g) for g in self.arguments.get(name, ()))

    def _typed(self, given: Given) -> Typed:
        if given.typed is None:
            assert given.syntax is not None and not isinstance(given.syntax, tree.Pattern)
            given.typed = self.context.expression(given.syntax)
        return given.typed

    def operand(self, name: str) -> Operand:
        """A number or numbers: a tensor or a host scalar."""
        return self.as_operand(self.value(name))

    def as_operand(self, node: Typed) -> Operand:
        """A typed value as numbers; anything else is refused."""
        kind = node.type
        if isinstance(kind, TensorType):
            tier = Tier.SCALAR_TENSOR if kind.axes == () else Tier.TENSOR
            return Operand(node, kind.axes, kind.dtype, kind.domain, tier)
        if isinstance(kind, HostType):
            if kind.kind == "bool":
                return Operand(node, (), DType.BOOL, MASK, Tier.NUMBER)
            return Operand(node, (), HOST_DTYPES[kind.kind], Range(kind.interval), Tier.NUMBER)
        return self.not_a_tensor(node)

    def tensor(self, name: str) -> TensorType:
        """The type of an argument that has to be a tensor (a host scalar counts as one of shape [])."""
        operand = self.operand(name)
        return TensorType(operand.axes, operand.dtype, operand.domain)

    def shaped(self, name: str) -> tuple[Typed, TensorType, Axes]:
        """An argument that has to be a tensor whose axes are known."""
        return self.as_shaped(self.value(name))

    def as_shaped(self, node: Typed) -> tuple[Typed, TensorType, Axes]:
        """A typed value as a tensor whose axes are known; anything else is refused."""
        operand = self.as_operand(node)
        kind = TensorType(operand.axes, operand.dtype, operand.domain)
        if kind.axes is None:
            self.refuse(
                "E0405",
                node.span,
                f"`{self.operation.name}` works along an axis, and a value without a shape has none to name",
                help="give the parameter a shape, such as [n D]",
            )
        return node, kind, kind.axes

    def not_a_tensor(self, node: Typed) -> NoReturn:
        """Refuses a value that is no tensor, with the code that its kind asks for."""
        kind: ValueType = node.type
        name = self.shown_name
        if isinstance(kind, ErrorType):
            raise Refused
        if isinstance(kind, PythonType):
            self.refuse(
                "E0413",
                node.span,
                f"`{name}` needs to know this value's shape, and a value from Python has none until it is asserted",
                help=f"assert its type first, as in {quoting.operand(self.context.text(node.span))} as [n D]",
            )
        if isinstance(kind, GradType):
            self.refuse(
                "E1108",
                node.span,
                f"`{name}` takes a tensor, and this is a gradient",
                notes=(GRADIENT_ARITHMETIC,),
                help="read its fields, as in g.w",
            )
        self.refuse("E0412", node.span, f"`{name}` takes a tensor, and this is {described(kind)}")

    def axis_name(self, name: str = "over") -> tree.Ident:
        """The bare name given for an axis parameter."""
        given = self.given(name)
        if not isinstance(given.syntax, tree.Ident):
            self.refuse(
                "E0406",
                given.span,
                f"`{name}=` takes the name of an axis",
                help=f"write {name}=D for the axis named D",
            )
        return given.syntax

    def axis(self, axes: Axes, name: str = "over") -> int:
        """The position of the axis that an axis parameter names."""
        ident = self.axis_name(name)
        at = position(axes, ident.name)
        if at is None:
            self.no_such_axis(axes, ident.name, ident.span)
        return at

    def no_such_axis(self, axes: Axes, name: str, span: Span) -> NoReturn:
        known = named(axes)
        note = f"its named axes are {', '.join(known)}" if known else "none of its axes has a name"
        from shapescript_syntax.suggestions import closest

        near = closest(name, known)
        self.refuse(
            "E0405",
            span,
            f"the tensor has no axis named `{name}`",
            notes=(note,),
            help=f"did you mean `{near}`?" if near else None,
        )

    def host_number(self, name: str) -> tuple[Typed, HostType]:
        """An argument that has to be a host int or float."""
        node = self.value(name)
        kind = node.type
        if isinstance(kind, ErrorType):
            raise Refused
        if isinstance(kind, TensorType):
            self.refuse(
                "E0805", node.span, f"`{name}` of `{self.operation.name}` is a number, and this is a tensor"
            )
        if not isinstance(kind, HostType) or kind.kind == "bool":
            self.refuse(
                "E0502", node.span, f"`{name}` of `{self.operation.name}` is a number, and this is {kind}"
            )
        return node, kind

    # --- results ---

    def result(
        self,
        kind: ValueType,
        operands: Iterable[Typed],
        *,
        alignment: tuple[tuple[int, ...], ...] = (),
        detail: Any = None,
    ) -> Apply:
        """The typed application of this call's operation."""
        return Apply(self.span, kind, self.operation, tuple(operands), alignment, detail)

    def unresolved(self) -> Unresolved:
        return Unresolved(self.span, ERROR)
