"""Data and logs records, and what models share with them: named fields with types that only numbers and dims make."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence

from shapescript_check.declarations.interfaces import (
    DataInterface,
    Interface,
    LogsInterface,
    MetricInterface,
    ModelInterface,
    ParameterType,
    TypeNames,
)
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.types import Place, TypeResolver
from shapescript_check.sizes import Size, Symbol, SymbolKind
from shapescript_check.types.entities import ModelType
from shapescript_check.types.values import ErrorType, HostType, TensorType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

Lookup = Callable[[str], Interface | None]

COMBINE = ("mean", "sum", "max", "min", "last")
"""How the values of a metric combine into one."""


class FieldScope:
    """Names in the type of a field: only what the file declares."""

    incomplete = False

    def __init__(self, lookup: Lookup) -> None:
        self.interface = lookup

    def local_size(self, name: str) -> Size | None:
        return None

    def is_unresolved(self, name: str) -> bool:
        return False

    def is_value(self, name: str) -> bool:
        return False

    def introduce_generic(self, name: str, span: Span) -> Size:
        raise AssertionError("fields have no generic axes")

    def unknown(self, name: str) -> Size:
        return Size.of(Symbol.unknown(name))

    def type_names(self) -> TypeNames:
        return frozenset()

    def size_names(self) -> tuple[str, ...]:
        return ()


def record_interface(
    item: tree.Model | tree.Data | tree.Logs, lookup: Lookup, report: Reporter
) -> ModelInterface | DataInterface | LogsInterface:
    """The interface of a model, a data record or a logs record."""
    if isinstance(item, tree.Model):
        from shapescript_check.declarations.models import model_interface

        return model_interface(item, lookup, report)
    return (
        data_interface(item, lookup, report)
        if isinstance(item, tree.Data)
        else logs_interface(item, lookup, report)
    )


def check_distinct(names: Sequence[tree.Name], what: str, report: Reporter) -> None:
    """Reports E0302 for a second field of a name."""
    seen: dict[str, tree.Name] = {}
    for name in names:
        if name.text in seen:
            report("E0302", name.span, f"two {what} are named `{name.text}`", label="named again here")
        seen.setdefault(name.text, name)


def check_field_name(name: tree.Name, code: str, what: str, report: Reporter) -> bool:
    """Reports a field's name that Python keeps, or that starts with an underscore."""
    if keyword.iskeyword(name.text) or name.text.startswith("_"):
        why = "a Python keyword" if keyword.iskeyword(name.text) else "kept for the compiler"
        report(code, name.span, f"{what} can't be named `{name.text}`, which is {why}")
        return False
    return True


def field_type(
    syntax: tree.TypeExpr, lookup: Lookup, report: Reporter, code: str, what: str
) -> TensorType | None:
    """The type of a model's or data record's field, which has to be a tensor with a shape of numbers and dims."""
    resolver = TypeResolver(FieldScope(lookup), report, Place.FIELD)
    kind = resolver.resolve(syntax)
    if isinstance(kind, ErrorType):
        return None
    if not isinstance(kind, TensorType) or kind.axes is None:
        report(
            code,
            syntax.span,
            f"{what} is a tensor with a shape, and this is {_shown(kind)}",
            help=_mend(kind),
        )
        return None
    for axis in kind.axes:
        if any(s.kind is SymbolKind.UNKNOWN for s in axis.size.symbols()):
            report(
                code,
                syntax.span,
                f"{what} has a fixed shape, and ?{axis} has no fixed size".replace("??", "?"),
            )
            return None
    return kind


def _shown(kind: ParameterType) -> str:
    if isinstance(kind, HostType):
        return f"a host {kind.kind}"
    if isinstance(kind, TensorType):
        return f"{kind} without a shape" if kind.axes is None else str(kind)
    return described(kind)


def _mend(kind: ParameterType) -> str | None:
    if isinstance(kind, HostType):
        dtype = {"int": "i64", "float": "f32", "bool": "bool"}[kind.kind]
        return f"for a single number, write [] {dtype}".replace(" f32", "")
    if isinstance(kind, ModelType):
        return "a model is a parameter of the functions that use it"
    return "for a single number, write []" if isinstance(kind, TensorType) else None


def data_interface(item: tree.Data, lookup: Lookup, report: Reporter) -> DataInterface:
    """The interface of a data record."""
    check_distinct([f.name for f in item.fields], "fields", report)
    fields: list[tuple[str, TensorType]] = []
    broken: list[str] = []
    for field in item.fields:
        named = check_field_name(field.name, "E1302", "a field", report)
        kind = field_type(field.type, lookup, report, "E1302", "a data record's field")
        if named and kind is not None:
            fields.append((field.name.text, kind))
        else:
            broken.append(field.name.text)
    return DataInterface(item.name.text, tuple(fields), tuple(broken))


def logs_interface(item: tree.Logs, lookup: Lookup, report: Reporter) -> LogsInterface:
    """The interface of a logs record."""
    check_distinct([m.name for m in item.metrics], "metrics", report)
    metrics: list[MetricInterface] = []
    broken: list[str] = []
    for metric in item.metrics:
        named = check_field_name(metric.name, "E1402", "a metric", report)
        found = _metric(metric, lookup, report)
        if named and found is not None:
            metrics.append(found)
        else:
            broken.append(metric.name.text)
    return LogsInterface(item.name.text, tuple(metrics), tuple(broken))


def _metric(metric: tree.Metric, lookup: Lookup, report: Reporter) -> MetricInterface | None:
    words = metric.type.words
    last = words[-1] if words else None
    plain = last is not None and last.argument is None and last.over is None and last.qualifier is None
    if last is None or not plain or last.name.text not in COMBINE:
        near = closest(last.name.text, COMBINE) if last is not None else None
        report(
            "E1402",
            last.span if last is not None else metric.type.span,
            f"metric `{metric.name.text}` doesn't say how its values combine",
            help=f"did you mean `{near}`?" if near else f"end it with one of {', '.join(COMBINE)}",
        )
        return None
    rest = tree.TypeExpr(metric.type.span, metric.type.shape, words[:-1])
    if rest.shape is None and not rest.words:
        report(
            "E1402",
            metric.type.span,
            f"metric `{metric.name.text}` has no type",
            help=f"write [] {last.name.text}",
        )
        return None
    kind = TypeResolver(FieldScope(lookup), report, Place.FIELD).resolve(rest)
    if isinstance(kind, ErrorType):
        return None
    if isinstance(kind, HostType) or (isinstance(kind, TensorType) and kind.axes == ()):
        return MetricInterface(metric.name.text, kind, last.name.text)
    report(
        "E1402",
        metric.type.span,
        f"a metric is a single number, and this is {_shown(kind)}",
        help="reduce it first, and write []" if isinstance(kind, TensorType) and kind.axes else _mend(kind),
    )
    return None
