"""Type expressions as written, worked out to types."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, Protocol

from shapescript_check.declarations import sizes
from shapescript_check.declarations.entity_types import entity_type
from shapescript_check.declarations.interfaces import (
    AliasInterface,
    AxisParameter,
    Broken,
    DimInterface,
    DomainInterface,
    Interface,
    ParameterType,
    Rounded,
    SizeParameter,
    TypeNames,
    Unsupported,
    what_it_is,
)
from shapescript_check.declarations.reporting import Reporter as Report
from shapescript_check.declarations.words import element_of, shape_help
from shapescript_check.sizes import Size, SizeTooLarge, Symbol
from shapescript_check.types.axes import REST, Axes, Axis
from shapescript_check.types.entities import DatasetType, Entity, ModelType
from shapescript_check.types.values import ERROR, ErrorType, HostType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

HOST_NAMES = ("int", "float", "bool")


class Place(Enum):
    """Where a type is written, which decides what its names may do."""

    PARAMETER = auto()
    RETURN = auto()
    EXTERN_PARAMETER = auto()
    EXTERN_RETURN = auto()
    BODY = auto()
    """In `as` and `to`."""
    FIELD = auto()
    """A field of a model or a record."""
    NEW = auto()
    """The shape of a tensor that is made, as in `zeros([b D])`."""


class TypeScope(Protocol):
    """What resolving a type needs to know of its surroundings."""

    def interface(self, name: str) -> Interface | None:
        """The module-scope declaration of a name."""

    def local_size(self, name: str) -> Size | None:
        """An axis name in scope."""

    def is_unresolved(self, name: str) -> bool:
        """Whether a name is that of a value of which nothing is known, because of what has been reported."""

    def is_value(self, name: str) -> bool:
        """Whether a name is a value in scope."""

    def introduce_generic(self, name: str, span: Span) -> Size:
        """Makes a name a generic axis of the signature."""

    def unknown(self, name: str) -> Size:
        """The unknown size that `?name` stands for; the same for each `?name` of one type."""

    def size_names(self) -> tuple[str, ...]:
        """The names of axes in scope."""

    def type_names(self) -> TypeNames:
        """The file's own names that types may use."""

    @property
    def incomplete(self) -> bool:
        """Whether names may be missing because of what has been reported, so an unknown one is not reported."""


class TypeResolver:
    """Works types out, in one place of a program. Reports what is wrong and gives ERROR for it."""

    def __init__(
        self, scope: TypeScope, report: Report, place: Place, value_axes: Axes | None = None
    ) -> None:
        self.scope = scope
        self.report = report
        self.place = place
        self.value_axes = value_axes
        self.rounded: list[tuple[Symbol, Rounded]] = []

    def resolve(self, syntax: tree.TypeExpr) -> ParameterType:
        """The type that is written."""
        words = list(syntax.words)
        if syntax.shape is None and not words:
            return ERROR  # it couldn't be read, which has been said
        if syntax.shape is None and len(words) == 1:
            single = self._single(words[0])
            if single is not None:
                return single
        axes: Axes | None = None
        if syntax.shape is not None:
            axes = self.axes(syntax.shape)
            if axes is None:
                return ERROR
        elif words:
            alias = self._alias(words[0])
            if alias is not None:
                axes = self._alias_axes(alias, words[0].span)
                if axes is None:
                    return ERROR
                words = words[1:]
        if syntax.shape is not None and words and self._unsupported(words[0]):
            return ERROR
        entity = entity_type(self, syntax, axes, words)
        if entity is not None:
            return self._entity_here(syntax, entity)
        return self._tensor(syntax, axes, words)

    def _entity_here(self, syntax: tree.TypeExpr, entity: Entity | ErrorType) -> ValueType:
        """A type that is no tensor type, unless it stands where a value can't be asserted to be one."""
        if self.place is Place.BODY and not isinstance(entity, ErrorType | DatasetType):
            self.report(
                "E0303",
                syntax.span,
                f"`as` and `to` are for tensors and host scalars, and this is {entity}",
                help="a value from Python fits a parameter of this type as it is"
                if isinstance(entity, ModelType)
                else None,
            )
            return ERROR
        return entity

    def _tensor(self, syntax: tree.TypeExpr, axes: Axes | None, words: list[tree.TypeWord]) -> ValueType:
        names = axes if axes is not None else self.value_axes
        element = element_of(self, words, names, axes is not None)
        if element is None:
            return ERROR
        domain, dtype, dtype_written = element
        if axes is None and not dtype_written and self.place is not Place.BODY:
            dtype = None if dtype is not None and dtype.kind == "float" else dtype
        return TensorType(axes, dtype, domain)

    # --- words that are a whole type ---

    def _single(self, word: tree.TypeWord) -> ParameterType | None:
        name = word.name.text
        if word.qualifier is None and word.argument is None and word.over is None and name in HOST_NAMES:
            return HostType(name)
        if word.argument is not None and name in ("Axis", "Axes", "Size") and word.qualifier is None:
            return self._extern_only(word)
        if self._unsupported(word):
            return ERROR
        return None

    def _extern_only(self, word: tree.TypeWord) -> ParameterType:
        name = word.name.text
        if self.place is not Place.EXTERN_PARAMETER:
            self.report("E0306", word.span, f"`{name}[..]` can only be a parameter of an extern fn")
            return ERROR
        argument = word.argument
        if not isinstance(argument, tree.Ident):
            self.report("E0306", word.span, f"`{name}[..]` takes a name, as in {name}[n]")
            return ERROR
        size = self._named_size(argument)
        if size is None:
            return ERROR
        (symbol,) = size.symbols()
        return SizeParameter(symbol, size) if name == "Size" else AxisParameter(symbol, size, name == "Axes")

    def _unsupported(self, word: tree.TypeWord) -> bool:
        """Whether a word names what this version doesn't compile, which is then reported (or was already)."""
        found = self.scope.interface(word.name.text) if word.qualifier is None else None
        if isinstance(found, Broken):
            return True
        if word.qualifier is None:
            return isinstance(found, Unsupported)
        # Of what an import binds, the qualifier is part of the name.
        self._no_file(word.qualifier.text, word.qualifier.span, shape_help(word.name.text))
        return True

    def _no_file(self, name: str, span: Span, help: str | None = None) -> None:
        owner = self.scope.interface(name)
        if owner is None:
            self.report("E0301", span, f"nothing named `{name}` is declared", help=help)
        elif not isinstance(owner, Broken):
            self.report("E0303", span, f"`{name}` is {what_it_is(owner)}, and only a file has types in it")

    # --- shapes ---

    def axes(self, shape: tree.ShapeExpr) -> Axes | None:
        """The axes of a shape, with aliases replaced by theirs."""
        result: list[Axis] = []
        good = True
        for entry in shape.axes:
            if isinstance(entry, tree.Ident):
                found = self.scope.interface(entry.name)
                if isinstance(found, AliasInterface) and self.scope.local_size(entry.name) is None:
                    spliced = self._alias_axes(found, entry.span)
                    good &= spliced is not None
                    result += spliced or ()
                    continue
            axis = self._axis(entry)
            good &= axis is not None
            if axis is not None:
                result.append(axis)
        if sum(a is REST for a in result) > 1:
            self.report("E0306", shape.span, "a type can have `...` only once")
            return None
        return tuple(result) if good else None

    def _axis(self, entry: tree.AxisExpr) -> Axis | None:
        if isinstance(entry, tree.Ident):
            size = self._named_size(entry)
            return Axis(size, entry.name) if size is not None else None
        if isinstance(entry, tree.Group):
            parts = [self._part(a) for a in entry.axes]
            return self._grouped([p for p in parts if p is not None], entry) if all(parts) else None
        if isinstance(entry, tree.GroupedSize):
            size = self._named_size(tree.Ident(entry.name.span, entry.name.text))
            if size is None:
                return None
            outer = Axis(size, entry.name.text)
            return self._grouped([outer, Axis(Size.number(entry.number))], entry)
        if isinstance(entry, tree.UnknownSize):
            if self.place in (Place.PARAMETER, Place.EXTERN_PARAMETER):
                self.report(
                    "E0306",
                    entry.span,
                    f"a parameter's size is the caller's choice, so it can't be ?{entry.name}",
                    help=f"write {entry.name}",
                )
                return None
            if self.place is Place.NEW:
                self.report(
                    "E0409",
                    entry.span,
                    f"nothing says what ?{entry.name} is, and a new tensor needs its sizes",
                    help="use the name of an axis in scope, a dim or a number",
                )
                return None
            return Axis(self.scope.unknown(entry.name))
        if isinstance(entry, tree.Rest):
            return self._rest(entry)
        if isinstance(entry, tree.ErrorExpr):
            return None
        size = self._computed(entry)
        return Axis(size) if size is not None else None

    def _part(self, entry: tree.AxisExpr) -> Axis | None:
        if isinstance(entry, tree.Rest):
            self.report("E0306", entry.span, "`...` can't be inside a group")
            return None
        if isinstance(entry, tree.Ident) and isinstance(self.scope.interface(entry.name), AliasInterface):
            self._misplaced_alias(entry)
            return None
        return self._axis(entry)

    def _grouped(self, parts: list[Axis], entry: tree.Group | tree.GroupedSize) -> Axis | None:
        product = Size.number(1)
        try:
            for part in parts:
                product = product * part.size
        except SizeTooLarge:
            self.report("E0414", entry.span, "this size doesn't fit in 128 bits")
            return None
        return Axis(product, None, tuple(parts))

    def _rest(self, entry: tree.Rest) -> Axis | None:
        if self.place not in (Place.EXTERN_PARAMETER, Place.EXTERN_RETURN):
            self.report("E0306", entry.span, "`...` can only be used in the signature of an extern fn")
            return None
        return REST

    def _computed(self, entry: tree.Expr | tree.AxisExpr) -> Size | None:
        if self.place is Place.EXTERN_RETURN and _divides(entry):
            rounded = self._rounded(entry)
            if rounded is None:
                return None
            symbol = Symbol.variable("size", len(self.rounded) + 1)
            self.rounded.append(
                (symbol, rounded if isinstance(rounded, Rounded) else Rounded("+", rounded, Size.number(0)))
            )
            return Size.of(symbol)
        return sizes.evaluate(entry, self._named_size, self.report)

    def _rounded(self, entry: tree.Expr | tree.AxisExpr) -> Size | Rounded | None:
        if isinstance(entry, tree.Binary) and _divides(entry):
            left, right = self._rounded(entry.left), self._rounded(entry.right)
            return Rounded(entry.op, left, right) if left is not None and right is not None else None
        return sizes.evaluate(entry, self._named_size, self.report)

    # --- names ---

    def size(self, syntax: tree.Expr) -> Size | None:
        """A size expression, as in `Index[V]`."""
        return self._computed(syntax)

    def _named_size(self, name: tree.Ident | tree.Attribute) -> Size | None:
        if isinstance(name, tree.Attribute):
            if isinstance(name.value, tree.Ident):
                self._no_file(name.value.name, name.value.span)
            return None
        local = self.scope.local_size(name.name)
        if local is not None:
            return local
        if self.scope.is_value(name.name):
            if not self.scope.incomplete and not self.scope.is_unresolved(name.name):
                help = (
                    _SIZE_OF_VALUE.get(self.place, "").format(
                        name=name.name, axis="k" if name.name != "k" else "m"
                    )
                    or None
                )
                self.report("E0303", name.span, f"`{name.name}` is a value, not a size", help=help)
            return None
        found = self.scope.interface(name.name)
        if isinstance(found, DimInterface):
            return found.size
        if isinstance(found, AliasInterface):
            self._misplaced_alias(name)
            return None
        if isinstance(found, Broken):
            return None
        if found is not None:
            self.report(
                "E0303",
                name.span,
                f"`{name.name}` is {what_it_is(found)}, not a size",
                labels=(Label(None, "declared here", name.name),),
            )
            return None
        if self.place in (Place.PARAMETER, Place.EXTERN_PARAMETER):
            return self.scope.introduce_generic(name.name, name.span)
        if self.scope.incomplete:
            return None
        self.report("E0301", name.span, f"unknown size `{name.name}`", help=self._help_for_unknown(name.name))
        return None

    def _help_for_unknown(self, name: str) -> str | None:
        declared = (n for n, kind in self.scope.type_names() if kind is not DomainInterface)
        near = closest(name, (*self.scope.size_names(), *declared))
        if near:
            return f"did you mean `{near}`?"
        if self.place is Place.NEW:
            return None
        if self.place is Place.FIELD:
            return f"a field's shape is made of numbers and dims: declare dim {name} = ..."
        return f"write ?{name} for a size that is only known when the function runs"

    def _misplaced_alias(self, name: tree.Ident) -> None:
        self.report(
            "E2202",
            name.span,
            f"`{name.name}` stands for several axes, and here one is needed",
            help=f"put it among the axes of a shape, as in [{name.name} 2], or write its axes out",
        )

    # --- aliases ---

    def _alias(self, word: tree.TypeWord) -> AliasInterface | None:
        if word.qualifier is not None or word.argument is not None or word.over is not None:
            return None
        found = self.scope.interface(word.name.text)
        return found if isinstance(found, AliasInterface) else None

    def _alias_axes(self, alias: AliasInterface, use: Span) -> Axes | None:
        inner = TypeResolver(self.scope, _At(self.report, use, alias), self.place, self.value_axes)
        return inner.axes(alias.shape)


_SIZE_OF_VALUE = {
    Place.PARAMETER: "an axis has a name of its own, which is its size",
    Place.RETURN: "write ?k for a size that is only known when the function runs",
    Place.BODY: "write ?k for a size that is only known when the function runs",
    Place.NEW: "an axis whose size is a number is made by repeat, as in "
    "repeat(zeros([n]), n -> n {axis}, {axis}={name})",
}
"""What helps where a value is written as an axis's size."""


class _At(Report):
    """Reports at the use of an alias, since the alias's own spans are in another chunk."""

    __slots__ = ("alias", "report", "use")

    def __init__(self, report: Report, use: Span, alias: AliasInterface) -> None:
        super().__init__()
        self.report = report
        self.use = use
        self.alias = alias

    def __call__(self, code: str, span: Span, message: str, **more: Any) -> None:
        if (more.get("help") or "").startswith("write "):
            more["help"] = None  # what is written here is the alias
        note = f"it is in the alias `{self.alias.name}`"
        self.report(code, self.use, message, **{**more, "notes": (*more.get("notes", ()), note)})


def _divides(entry: tree.Expr | tree.AxisExpr) -> bool:
    return isinstance(entry, tree.Binary) and (
        entry.op == "/" or _divides(entry.left) or _divides(entry.right)
    )


__all__ = ["DomainInterface", "ErrorType", "Place", "TypeResolver", "TypeScope"]
