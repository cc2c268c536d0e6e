"""Models: their fields and what those start as."""

from __future__ import annotations

import math

from shapescript_check.declarations.defaults import NotConstant, Number, article, constant
from shapescript_check.declarations.interfaces import FieldInterface, Initializer, ModelInterface
from shapescript_check.declarations.module_attributes import is_module_attribute
from shapescript_check.declarations.records import Lookup, check_distinct, check_field_name, field_type
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.types.domains import REAL, IndexOf, Range, domain_text, is_mask
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import TensorType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest

INITIALIZERS: dict[str, tuple[tuple[str, float | None], ...]] = {
    "zeros": (),
    "ones": (),
    "full": (("value", None),),
    "normal": (("mean", 0.0), ("std", 1.0)),
    "uniform": (("lo", 0.0), ("hi", 1.0)),
}
"""Each initializer's parameters in order, with their defaults (None for one that has to be given)."""


def model_interface(item: tree.Model, lookup: Lookup, report: Reporter) -> ModelInterface:
    """The interface of a model."""
    check_distinct([f.name for f in item.fields], "fields", report)
    fields: list[FieldInterface] = []
    for field in item.fields:
        found = _field(field, lookup, report)
        if found is not None:
            fields.append(found)
    return ModelInterface(item.name.text, tuple(fields), _broken(item, fields))


def _broken(item: tree.Model, fields: list[FieldInterface]) -> tuple[str, ...]:
    known = {f.name for f in fields}
    return tuple(f.name.text for f in item.fields if f.name.text not in known)


def _field(field: tree.Field, lookup: Lookup, report: Reporter) -> FieldInterface | None:
    good = check_field_name(field.name, "E0902", "a field", report)
    if good and (field.name.text == "init" or is_module_attribute(field.name.text)):
        what = "makes a model" if field.name.text == "init" else "is an attribute of torch.nn.Module"
        report("E0902", field.name.span, f"a field can't be named `{field.name.text}`, which {what}")
        good = False
    kind = field_type(field.type, lookup, report, "E0902", "a model's field")
    if kind is None:
        return None
    good &= _check_element(field, kind, report)
    initializer = _initializer(field, kind, lookup, report)
    if not good and initializer is None:
        return None
    return FieldInterface(field.name.text, field.kind, kind, initializer or Initializer("zeros"))


def _check_element(field: tree.Field, kind: TensorType, report: Reporter) -> bool:
    name = field.name.text
    if field.kind == "param":
        if kind.dtype is None or kind.dtype.kind != "float":
            report(
                "E0902",
                field.type.span,
                f"param `{name}` is trained, so it holds floats, and this is {kind}",
                help="make it a buffer, which is kept and not trained",
            )
            return False
        if kind.domain != REAL:
            report(
                "E0902",
                field.type.span,
                f"training can give param `{name}` any value, so it has no domain",
                help="leave the domain out",
            )
            return False
        return True
    if isinstance(kind.domain, Range | IndexOf) or is_mask(kind.domain):
        return True
    report(
        "E0902",
        field.type.span,
        f"a buffer's domain is a range, Index[V] or Mask, and this is {kind}",
    )
    return False


# --- initializers ------------------------------------------------------------------------------------------


def _initializer(field: tree.Field, kind: TensorType, lookup: Lookup, report: Reporter) -> Initializer | None:
    syntax = field.initializer
    if syntax is None:
        report(
            "E0903",
            field.span,
            f"field `{field.name.text}` has no initializer",
            help=f"say what it starts as: {field.kind} {field.name.text}: ... = zeros",
        )
        return None
    if isinstance(syntax, tree.ErrorExpr):
        return None
    called = isinstance(syntax, tree.Call)
    callee = syntax.callee if isinstance(syntax, tree.Call) else syntax
    if not isinstance(callee, tree.Ident) or callee.name not in INITIALIZERS:
        near = closest(callee.name, INITIALIZERS) if isinstance(callee, tree.Ident) else None
        what = f"`{callee.name}`" if isinstance(callee, tree.Ident) else "this"
        report(
            "E0903",
            callee.span,
            f"{what} isn't an initializer",
            notes=(f"the initializers are {', '.join(INITIALIZERS)}",),
            help=f"did you mean `{near}`?" if near else None,
        )
        return None
    arguments = syntax.arguments if isinstance(syntax, tree.Call) else ()
    if called and not INITIALIZERS[callee.name]:
        report("E0903", syntax.span, f"`{callee.name}` takes no arguments", help=f"write {callee.name}")
        return None
    given = _arguments(callee, arguments, lookup, report)
    if given is None or not _fits(field, kind, callee, given, report):
        return None
    return Initializer(callee.name, tuple(given.items()))


def _arguments(
    callee: tree.Ident, arguments: tuple[tree.Argument, ...], lookup: Lookup, report: Reporter
) -> dict[str, Number] | None:
    parameters = INITIALIZERS[callee.name]
    names = [n for n, _ in parameters]
    given: dict[str, Number] = {}
    for i, argument in enumerate(arguments):
        name = argument.name.text if argument.name is not None else names[i] if i < len(names) else None
        if name is None or name not in names:
            _no_parameter(callee.name, argument, names, report)
            return None
        if name in given:
            report("E0903", argument.span, f"`{name}` is given twice")
            return None
        try:
            if isinstance(argument.value, tree.Pattern | tree.ShapeExpr):
                raise NotConstant(callee, "this isn't a number")
            given[name] = constant(argument.value, lookup)
        except NotConstant as error:
            report(
                "E0903", argument.value.span, f"an initializer's arguments are numbers and dims: {error.why}"
            )
            return None
    for name, default in parameters:
        if name not in given:
            if default is None:
                report(
                    "E0903", callee.span, f"`{callee.name}` needs `{name}`", help=f"write {callee.name}(0.5)"
                )
                return None
            given[name] = default
    return {name: given[name] for name in names}


def _no_parameter(initializer: str, argument: tree.Argument, names: list[str], report: Reporter) -> None:
    if argument.name is None:
        count = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
        report("E0903", argument.span, f"`{initializer}` takes {count}, and this is one more")
        return
    near = closest(argument.name.text, names)
    known = f"its parameters are {' and '.join(names)}" if len(names) > 1 else f"its parameter is {names[0]}"
    report(
        "E0903",
        argument.name.span,
        f"`{initializer}` has no parameter `{argument.name.text}`",
        help=f"did you mean `{near}`?" if near else known,
    )


def _fits(
    field: tree.Field, kind: TensorType, callee: tree.Ident, given: dict[str, Number], report: Reporter
) -> bool:
    assert kind.dtype is not None
    name = callee.name
    span = field.initializer.span if field.initializer is not None else field.span
    if name in ("normal", "uniform") and kind.dtype.kind != "float":
        report("E0903", span, f"`{name}` fills floats, and `{field.name.text}` is stored as {kind.dtype}")
        return False
    if not _kinds_fit(name, kind, given, span, report):
        return False
    if name == "normal" and given["std"] < 0:
        report("E0903", span, "a standard deviation is at least 0")
        return False
    if name == "uniform" and given["lo"] > given["hi"]:
        report("E0903", span, f"`lo` is {given['lo']}, which is more than `hi`, {given['hi']}")
        return False
    values = _values(name, given)
    if name == "full" and not _stored_as_it_is(given["value"], kind.dtype):
        report("E0903", span, f"{given['value']} doesn't fit in {kind.dtype}")
        return False
    if is_mask(kind.domain) or kind.domain.interval.contains(values):
        return True
    report(
        "E0903",
        span,
        f"`{field.name.text}` is {domain_text(kind.domain)}, and `{name}` gives values in {values}",
        help="write full(...) with a value that fits",
    )
    return False


def _stored_as_it_is(value: Number, dtype: DType) -> bool:
    """Whether a dtype's range has a number."""
    if dtype.kind == "int":
        low, high = dtype.int_range
        return low <= value <= high
    return math.isinf(value) or abs(value) <= dtype.finfo_max


def _kinds_fit(name: str, kind: TensorType, given: dict[str, Number], span: Span, report: Reporter) -> bool:
    assert kind.dtype is not None
    wanted = {"bool": "bool", "int": "int", "float": "float"}[kind.dtype.kind if name == "full" else "float"]
    for argument, value in given.items():
        mine = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
        if mine != wanted and not (mine == "int" and wanted == "float"):
            report(
                "E0502",
                span,
                f"`{argument}` of `{name}` is {article(wanted)} here, and this is {article(mine)}",
            )
            return False
    return True


def _values(name: str, given: dict[str, Number]) -> Interval:
    """The values that an initializer may give."""
    if name == "zeros":
        return Interval.point(0.0)
    if name == "ones":
        return Interval.point(1.0)
    if name == "full":
        return Interval.point(float(given["value"]))
    if name == "uniform":
        return Interval.point(float(given["lo"])).hull(Interval.point(float(given["hi"])))
    return Interval.point(float(given["mean"])) if given["std"] == 0 else Interval.REAL
