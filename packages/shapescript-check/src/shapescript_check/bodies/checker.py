"""The checker of one function's body: its scope, its diagnostics, and what typing rules may ask of it.

The rules themselves are functions in the other modules of this package, chosen by the class of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shapescript_check import quoting
from shapescript_check.bodies.scope import Scope
from shapescript_check.declarations.interfaces import (
    DimInterface,
    DomainInterface,
    FnInterface,
    Interface,
    TypeNames,
)
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.types import Place, TypeResolver
from shapescript_check.operations.parameters import Given
from shapescript_check.sizes import Size, SizeTooLarge, Symbol
from shapescript_check.typed.tree import Body, Typed, Unresolved
from shapescript_check.types.axes import Axes
from shapescript_check.types.domains import Range
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import ERROR, ErrorType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.records import replaced
from shapescript_syntax.spans import Span

Read = Callable[[Hashable], object]


class BodyChecker:
    """Checks one body. `read` gives what other declarations offer, and remembers that it was asked:
    `("interface", name)`, `("returns", name)`, `("body", name)` and, for an instance, `("problem", name)`."""

    def __init__(self, text: str, read: Read, report: Reporter, function: FnInterface | None = None) -> None:
        from shapescript_check.bodies.expressions import type_expression

        self.source = text
        self.read = read
        self.report = report
        self.function = function
        parameters = function.parameters if function is not None else ()
        self.changed = frozenset(p.name for p in parameters if p.mut)
        """The parameters that are `mut`."""
        self.scope = Scope()
        self.returned: list[ValueType] = []
        self.ended: dict[str, tuple[Span, str]] = {}
        """What blocks that have ended bound: where, and what to do about it."""
        self.elements: frozenset[str] = frozenset()
        """The parameters of the functions of iterator stages that the expression being typed is inside of."""
        self.binding: frozenset[str] = frozenset()
        """The names that the statement being typed binds, and that nothing had before."""
        self.instances: dict[str, None] = {}
        """The instances of generic functions that the body calls."""
        self.lost_axes = False
        """Whether an operation that would have introduced axis names was refused."""
        self.broken = False
        """Whether a part of the body has no meaning, so that what it would have read isn't known."""
        self.pipes: dict[Span, Span] = {}
        """For the place of each stage of a pipe, that of the pipe up to it."""
        self._typed = type_expression
        self._unknowns: dict[str, int] = {}
        self._variables = 0
        self._type_unknowns: dict[str, Size] = {}
        self._domains: dict[Interval, str] | None = None
        self._least: frozenset[float] = frozenset()

    # --- other declarations ---

    def interface(self, name: str) -> Interface | None:
        """The module-scope declaration, or prelude stub, of a name."""
        return self.read(("interface", name))  # type: ignore[return-value]

    def inferred_returns(self, name: str) -> ValueType | None:
        """The result's type of a function that doesn't declare one; None inside a cycle of such functions."""
        return self.read(("returns", name))  # type: ignore[return-value]

    def body_of(self, name: str) -> Body | None:
        """Another function's checked body, for ranges of elementwise calls; None inside a cycle."""
        return self.read(("body", name))  # type: ignore[return-value]

    def declaration(self, name: str) -> Interface | None:
        """What a name is declared as, unless a value of the function hides it."""
        return None if name in self.scope.values or name in self.scope.axes else self.interface(name)

    def is_unknown(self, syntax: tree.Ident) -> bool:
        """Whether nothing in scope has a name, which is then reported."""
        from shapescript_check.bodies.names import every_name, unknown_name

        if syntax.name in every_name(self):
            return False
        unknown_name(self, syntax)
        return True

    def function_interface(self, name: str) -> FnInterface | None:
        """The interface of a function of the program, by its key."""
        found = self.interface(name)
        return found if isinstance(found, FnInterface) and found.path is None else None

    def function_for(self, name: tree.Ident, arguments: Sequence[Given]) -> Interface | None:
        """What a name of a function means for the arguments of its call; Broken once something is reported."""
        from shapescript_check.bodies.versions import function_for

        return function_for(self, name, self.declaration(name.name), arguments)

    def call(self, function: FnInterface, arguments: Sequence[Given], span: Span, at: Span) -> Typed:
        """The typed call of a function of the program, as if it were written."""
        from shapescript_check.bodies.function_calls import type_function_call

        call = tree.Call(span, tree.Ident(at, function.name), ())
        return type_function_call(self, call, function, list(arguments))

    def params_read(self, function: str) -> frozenset[str] | None:
        """The params of its first parameter that a function may read; None for any of them."""
        from shapescript_check.bodies.reads import params_read

        return params_read(self, function)

    def written_type(self, syntax: tree.Expr) -> ValueType | None:
        """The type that an argument is written as; None once it is reported to be none."""
        from shapescript_check.bodies.written_types import written_type

        return written_type(self, syntax)

    # --- expressions and types ---

    def expression(self, syntax: tree.Expr | tree.ShapeExpr) -> Typed:
        """Types an expression; what is wrong is reported and gives an unresolved node."""
        return self._with_domain_name(self._typed(self, syntax))

    def _with_domain_name(self, found: Typed) -> Typed:
        """A value whose range is exactly a domain of the file's, shown by that domain's name."""
        kind = found.type
        if (
            not isinstance(kind, TensorType)
            or not isinstance(kind.domain, Range)
            or kind.domain.name is not None
        ):
            return found
        if self._domains is None:
            declared: tuple[DomainInterface, ...] = self.read(("domains", ""))  # type: ignore[assignment]
            self._domains = {d.interval: d.name for d in reversed(declared)}
            self._least = frozenset(d.interval.lo for d in declared)
        if kind.domain.interval.lo not in self._least:
            return found
        name = self._domains.get(kind.domain.interval)
        if name is None:
            return found
        return replaced(found, type=kind.with_domain(Range(kind.domain.interval, name)))

    def resolve_type(self, syntax: tree.TypeExpr, value_axes: Axes | None = None) -> Any:
        """A type in `as` or `to`."""
        self._type_unknowns = {}
        return TypeResolver(self, self.report, Place.BODY, value_axes).resolve(syntax)

    def resolve_shape(self, shape: tree.ShapeExpr) -> Axes | None:
        self._type_unknowns = {}
        return TypeResolver(self, self.report, Place.NEW).axes(shape)

    def resolve_size(self, syntax: tree.Expr | tree.ShapeExpr) -> Size | None:
        """The size that an expression of numbers, dims and axis names is; silently None for any other."""
        match syntax:
            case tree.Int():
                return Size.number(syntax.value)
            case tree.Ident():
                if syntax.name in self.scope.values:
                    return getattr(self.scope.values[syntax.name], "size", None)
                return self.axis_size(syntax.name)
            case tree.Unary(op="-"):
                operand = self.resolve_size(syntax.operand)
                return Size.number(0) - operand if operand is not None else None
            case tree.Binary(op="+" | "-" | "*" | "/"):
                return self._computed_size(syntax)
            case _:
                return None

    def _computed_size(self, syntax: tree.Binary) -> Size | None:
        left, right = self.resolve_size(syntax.left), self.resolve_size(syntax.right)
        if left is None or right is None:
            return None
        try:
            match syntax.op:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case _:
                    return None
        except SizeTooLarge:
            return None

    # --- what resolving types needs ---

    @property
    def incomplete(self) -> bool:
        """Whether a parameter's type or a pattern is an error, so that axis names may be missing."""
        fn = self.function
        return self.lost_axes or (
            fn is not None and any(isinstance(p.type, ErrorType) for p in fn.parameters)
        )

    def local_size(self, name: str) -> Size | None:
        return self.scope.axes.get(name)

    def is_unresolved(self, name: str) -> bool:
        return isinstance(self.scope.values.get(name), ErrorType)

    def is_value(self, name: str) -> bool:
        return name in self.scope.values

    def introduce_generic(self, name: str, span: Span) -> Size:
        raise AssertionError("a body introduces no generic axes")

    def unknown(self, name: str) -> Size:
        if name not in self._type_unknowns:
            self._type_unknowns[name] = self.fresh_unknown(name)
        return self._type_unknowns[name]

    def size_names(self) -> tuple[str, ...]:
        return tuple(self.scope.axes)

    def type_names(self) -> TypeNames:
        return self.read(("type_names", ""))  # type: ignore[return-value]

    # --- sizes and axes ---

    def fresh_unknown(self, name: str) -> Size:
        """A new unknown size: `?k`, then `?k2` for the second one of that name in the function."""
        count = self._unknowns[name] = self._unknowns.get(name, 0) + 1
        return Size.of(Symbol.unknown(name if count == 1 else f"{name}{count}"))

    def fresh_variable(self, name: str) -> Symbol:
        """A new symbol for the solver to work out."""
        self._variables += 1
        return Symbol.variable(name, self._variables)

    def axis_size(self, name: str) -> Size | None:
        """The size of an axis name in scope or of a dim."""
        local = self.scope.axes.get(name)
        if local is not None:
            return local
        found = self.interface(name)
        return found.size if isinstance(found, DimInterface) else None

    def introduce_axis(self, name: str, size: Size, span: Span) -> None:
        """Brings an axis name into scope, unless a value has the name."""
        if name in self.scope.values:
            self.report(
                "E0303",
                span,
                f"`{name}` is a value here, so it can't also name an axis",
                help="give the axis another name",
            )
            return
        self.scope.axes[name] = size

    # --- blocks ---

    @contextmanager
    def silently(self) -> Iterator[None]:
        """While a loop's body is checked for its domains only, nothing is reported."""
        lost = self.lost_axes
        self.report.silent += 1
        try:
            yield
        finally:
            self.report.silent -= 1
            self.lost_axes = lost  # what was refused will be again, aloud

    @contextmanager
    def numbering_again(self) -> Iterator[None]:
        """Afterwards, unknown sizes are numbered as if nothing inside had been: no type from in there is kept."""
        known = dict(self._unknowns)
        try:
            yield
        finally:
            self._unknowns = known

    @contextmanager
    def noting(self, note: Callable[[], str]) -> Iterator[None]:
        """Adds a note to every report inside. It is made when there is one."""
        self.report.notes.append(note)
        try:
            yield
        finally:
            self.report.notes.pop()

    def text(self, span: Span) -> str:
        """What was written for a value, on one line: for the call of a pipe's stage, the pipe up to it."""
        whole = self.pipes.get(span, span)
        return quoting.on_one_line(self.source[whole.start : whole.end])

    def written(self, span: Span) -> str:
        return self.source[span.start : span.end]

    def unresolved(self, span: Span) -> Unresolved:
        self.broken = True
        return Unresolved(span, ERROR)
