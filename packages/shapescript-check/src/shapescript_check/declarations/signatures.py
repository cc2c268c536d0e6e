"""The signature of a function, worked out without looking into its body."""

from __future__ import annotations

from collections.abc import Callable

from shapescript_check.declarations.defaults import default_value
from shapescript_check.declarations.interfaces import (
    AnyNumber,
    AxisParameter,
    DimInterface,
    FnInterface,
    Interface,
    ParameterInterface,
    ParameterType,
    SizeParameter,
    TypeNames,
)
from shapescript_check.declarations.paths import check_path
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.types import Place, TypeResolver
from shapescript_check.sizes import Size, Symbol
from shapescript_check.types.axes import REST
from shapescript_check.types.entities import CHANGEABLE, ScheduleType, is_entity
from shapescript_check.types.values import ERROR, NO_RESULT, ErrorType, HostType, TensorType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import replaced
from shapescript_syntax.spans import Span

Lookup = Callable[[str], Interface | None]


class SignatureScope:
    """Names while a signature is read: its parameters and the generic axes that they introduce."""

    def __init__(self, lookup: Lookup, type_names: Callable[[], TypeNames]) -> None:
        self.lookup = lookup
        self.type_names = type_names
        self.generics: dict[str, Symbol] = {}
        self.parameters: dict[str, Span] = {}
        self.unknowns: dict[str, Size] = {}
        self.incomplete = False

    def interface(self, name: str) -> Interface | None:
        return self.lookup(name)

    def local_size(self, name: str) -> Size | None:
        symbol = self.generics.get(name)
        return Size.of(symbol) if symbol is not None else None

    def is_unresolved(self, name: str) -> bool:
        return False

    def is_value(self, name: str) -> bool:
        return name in self.parameters

    def introduce_generic(self, name: str, span: Span) -> Size:
        symbol = self.generics[name] = Symbol.generic(name)
        return Size.of(symbol)

    def unknown(self, name: str) -> Size:
        return self.unknowns.setdefault(name, Size.of(Symbol.unknown(name)))

    def size_names(self) -> tuple[str, ...]:
        return tuple(self.generics)


def fn_interface(
    item: tree.Fn | tree.ExternFn,
    lookup: Lookup,
    report: Reporter,
    type_names: Callable[[], TypeNames] = frozenset,
) -> FnInterface:
    """The interface of a function as its signature declares it.

    Args:
        item: the function.
        lookup: what a name of the file means in types.
        report: takes what is wrong.
        type_names: the names that a misspelt one may be, asked for only then.
    """
    scope = SignatureScope(lookup, type_names)
    extern = isinstance(item, tree.ExternFn)
    parameters: list[ParameterInterface] = []
    for syntax in item.parameters:
        parameters.append(_parameter(syntax, scope, report, extern, parameters))
        scope.incomplete |= isinstance(parameters[-1].type, ErrorType)
        _check_name(syntax, scope, report)
        scope.parameters.setdefault(syntax.name.text, syntax.name.span)
    returns: ValueType | None = None
    rounded = []
    if item.returns is not None:
        resolver = TypeResolver(scope, report, Place.EXTERN_RETURN if extern else Place.RETURN)
        resolved = resolver.resolve(item.returns)
        returns = resolved if not isinstance(resolved, AxisParameter | SizeParameter | AnyNumber) else ERROR
        rounded = resolver.rounded
    interface = FnInterface(
        item.name.text,
        tuple(parameters),
        returns,
        tuple(scope.generics.values()),
        item.path.value if isinstance(item, tree.ExternFn) else None,
        tuple(rounded),
        isinstance(item, tree.Fn) and item.exported,
    )
    if isinstance(item, tree.ExternFn):
        _check_extern(item, interface, report)
        return interface
    return interface if interface.elementwise else _with_numbers(interface)


def _with_numbers(fn: FnInterface) -> FnInterface:
    """A function with shapes, where a default without one, as in `eps: Pos = 1e-5`, is that of a single number:
    of a value that may have any shape, its body could do nothing with the others."""
    parameters = tuple(
        ParameterInterface(p.name, p.type.with_axes(()), True, p.default)
        if p.has_default and isinstance(p.type, TensorType) and p.type.axes is None
        else p
        for p in fn.parameters
    )
    return replaced(fn, parameters=parameters) if parameters != fn.parameters else fn


def _check_name(syntax: tree.Parameter, scope: SignatureScope, report: Reporter) -> None:
    name = syntax.name.text
    if name in scope.parameters:
        first = Label(scope.parameters[name], "the first one")
        report("E0302", syntax.name.span, f"two parameters are named `{name}`", labels=(first,))
    elif name in scope.generics:
        report(
            "E0303",
            syntax.name.span,
            f"`{name}` is an axis of this signature, so no parameter can have its name",
        )
    elif isinstance(scope.interface(name), DimInterface):
        report("E0303", syntax.name.span, f"`{name}` is a dim, so no parameter can have its name")
    elif name.startswith("_ss_"):
        report("E0303", syntax.name.span, "names that start with `_ss_` are the compiler's own")


def _parameter(
    syntax: tree.Parameter,
    scope: SignatureScope,
    report: Reporter,
    extern: bool,
    earlier: list[ParameterInterface],
) -> ParameterInterface:
    name = syntax.name.text
    if syntax.type is None and syntax.default is None:
        report(
            "E0306",
            syntax.span,
            f"parameter `{name}` has neither a type nor a default",
            help=f"give it a type, as in {name}: [n D] or {name}: float",
        )
        return ParameterInterface(name, ERROR)
    kind: ParameterType | None = None
    if syntax.type is not None:
        place = Place.EXTERN_PARAMETER if extern else Place.PARAMETER
        kind = TypeResolver(scope, report, place).resolve(syntax.type)
    mut = syntax.mut is not None and isinstance(kind, CHANGEABLE) and not extern
    if syntax.mut is not None and not mut and not isinstance(kind, ErrorType):
        report(
            "E1101",
            syntax.mut,
            f"`{name}` can't be `mut`: only a model or the state of an optimizer can be changed"
            if not extern
            else f"`{name}` can't be `mut`: what a Python function changes isn't known",
            help="leave mut out, and return the new value" if not extern else "leave mut out",
        )
    if extern:
        _check_extern_parameter(syntax, kind, earlier, report)
    if syntax.default is None:
        assert kind is not None
        return ParameterInterface(name, kind, mut=mut)
    return _with_default(syntax, kind, scope, report, extern, earlier)


def _with_default(
    syntax: tree.Parameter,
    kind: ParameterType | None,
    scope: SignatureScope,
    report: Reporter,
    extern: bool,
    earlier: list[ParameterInterface],
) -> ParameterInterface:
    name = syntax.name.text
    assert syntax.default is not None
    if extern and isinstance(kind, TensorType) and isinstance(syntax.default, tree.Ident):
        if syntax.default.name == "none":
            return ParameterInterface(name, kind, True)
    if isinstance(kind, AxisParameter):
        # Reported already: an axis has no default.
        return ParameterInterface(name, kind)
    if isinstance(kind, SizeParameter):
        return ParameterInterface(name, kind, True, _size_default(syntax.default, scope, report))
    if is_entity(kind) and not isinstance(kind, ScheduleType):
        report("E0306", syntax.default.span, f"`{name}` is {described(kind)}, so it can't have a default")
        return ParameterInterface(name, kind, True)
    if isinstance(kind, TensorType) and kind.axes is not None and not isinstance(kind, ErrorType):
        report(
            "E0306",
            syntax.default.span,
            f"`{name}` has a shape, so it can't have a default",
            help=f"a parameter without a shape can: {name}: Real = 1.0",
        )
        return ParameterInterface(name, kind, True)
    value = default_value(syntax.default, kind, scope, report)
    if kind is None:
        if value is None:
            return ParameterInterface(name, ERROR, True)
        given = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
        return ParameterInterface(name, AnyNumber(given), True, value)
    return ParameterInterface(name, kind, True, value)


def _size_default(syntax: tree.Expr, scope: SignatureScope, report: Reporter) -> Size | None:
    if isinstance(syntax, tree.Int):
        return Size.number(syntax.value)
    if isinstance(syntax, tree.Ident):
        size = scope.local_size(syntax.name)
        if size is not None:
            return size
        found = scope.interface(syntax.name)
        if isinstance(found, DimInterface):
            return found.size
    report(
        "E0308",
        syntax.span,
        "the default of a `Size[..]` parameter is a number or a size from an earlier parameter",
    )
    return None


def _check_extern_parameter(
    syntax: tree.Parameter, kind: ParameterType | None, earlier: list[ParameterInterface], report: Reporter
) -> None:
    if not isinstance(kind, AxisParameter):
        return
    first = earlier[0].type if earlier else None
    if not (isinstance(first, TensorType) and first.axes is not None):
        report(
            "E0308",
            syntax.span,
            f"`{syntax.name.text}` names an axis of the first parameter, which has to be a tensor with a shape",
        )
    if syntax.default is not None:
        report("E0308", syntax.default.span, "a parameter that names an axis can't have a default")


def _check_extern(item: tree.ExternFn, interface: FnInterface, report: Reporter) -> None:
    check_path(item.path, report)
    if item.returns is None:
        report(
            "E0308",
            item.header,
            f"`{item.name.text}` has no body to tell its type from, so it needs a return type",
            help="add one, as in -> Real or -> [n D]",
        )
        return
    returns = interface.returns
    if isinstance(returns, TensorType) and returns.axes is not None and REST in returns.axes:
        given = [p.type for p in interface.parameters]
        # A parameter whose type is wrong, which is reported, may be the one.
        if not any(
            isinstance(t, ErrorType) or (isinstance(t, TensorType) and t.axes is not None and REST in t.axes)
            for t in given
        ):
            report("E0308", item.returns.span, "`...` in the return type needs a parameter that has it too")


__all__ = ["NO_RESULT", "HostType", "Lookup", "SignatureScope", "fn_interface"]
