"""Calls that make values of declared types: `Mlp.init(seed=s)`, `StepLogs(loss=l)`, modes, and sinks."""

from __future__ import annotations

from shapescript_check.bodies.argument_types import check_argument
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.fits import check_host, check_number
from shapescript_check.bodies.names import declared_here
from shapescript_check.declarations.interfaces import (
    FnInterface,
    LogsInterface,
    MetricInterface,
    ModelInterface,
    ParameterInterface,
)
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import MakeLogs, MakeMode, MakeModel, SinkCall, Typed
from shapescript_check.types.entities import MODE, LogsType, ModelType
from shapescript_check.types.values import NO_RESULT, ErrorType, HostType, PythonType, TensorType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest


def type_init(
    checker: BodyChecker, syntax: tree.Call, model: ModelInterface, arguments: list[Given]
) -> Typed:
    """`Mlp.init(seed=s)`."""
    what = f"{model.name}.init"
    seed = _seed(checker, syntax.span, what, arguments)
    if seed is None:
        return checker.unresolved(syntax.span)
    return MakeModel(syntax.span, ModelType(model.name), model.name, seed)


def type_mode(checker: BodyChecker, syntax: tree.Call, arguments: list[Given]) -> Typed:
    """`Train(seed=s)` and `Sample(seed=s)`."""
    assert isinstance(syntax.callee, tree.Ident)
    name = syntax.callee.name
    if name == "Eval":
        checker.report("E0303", syntax.span, "`Eval` is a mode and takes no arguments", help="write Eval")
        return checker.unresolved(syntax.span)
    seed = _seed(checker, syntax.span, name, arguments)
    return checker.unresolved(syntax.span) if seed is None else MakeMode(syntax.span, MODE, name, seed)


def _seed(checker: BodyChecker, span: Span, what: str, arguments: list[Given]) -> Typed | None:
    """The one argument, `seed=`, an int; None once something is reported."""
    if not _changes_nothing(checker, what, arguments):
        return None
    seed: Given | None = None
    for given in arguments:
        if given.name is None or given.name.text != "seed" or seed is not None:
            where = given.name.span if given.name is not None else given.span
            checker.report(
                "E0406", where, f"`{what}` takes one argument, seed=, by name", help=f"write {what}(seed=0)"
            )
            return None
        seed = given
    if seed is None or seed.syntax is None or isinstance(seed.syntax, tree.Pattern | tree.ShapeExpr):
        checker.report("E0406", span, f"`{what}` needs a seed", help=f"write {what}(seed=0)")
        return None
    value = checker.expression(seed.syntax)
    good = check_host(checker, value, "int", f"the seed of `{what}`")
    return value if good and not isinstance(value.type, ErrorType) else None


def _changes_nothing(checker: BodyChecker, what: str, arguments: list[Given]) -> bool:
    """Reports an argument that is marked `mut`."""
    marked = next((a.mut for a in arguments if a.mut is not None), None)
    if marked is not None:
        checker.report(
            "E1101", marked, f"`{what}` changes none of its arguments, so none is `mut`", help="leave mut out"
        )
    return marked is None


# --- logs records ------------------------------------------------------------------------------------------


def type_logs(checker: BodyChecker, syntax: tree.Call, logs: LogsInterface, arguments: list[Given]) -> Typed:
    """`StepLogs(loss=l, ...)`."""
    metrics = {m.name: m for m in logs.metrics}
    given: dict[str, Typed] = {}
    good = _changes_nothing(checker, logs.name, arguments)
    if any(isinstance(a.syntax, tree.ErrorExpr) for a in arguments):
        return checker.unresolved(syntax.span)
    _refuse_positions(checker, logs, arguments)
    for argument in arguments:
        value = _metric_value(checker, logs, metrics, argument, given)
        if value is None:
            good = False
        elif argument.name is not None:
            given[argument.name.text] = value
    missing = [m for m in metrics if m not in given]
    if good and missing:
        checker.report(
            "E0406",
            syntax.span,
            f"`{logs.name}` needs `{missing[0]}`, which isn't given",
            help=f"add {missing[0]}=...",
        )
        good = False
    if not good:
        return checker.unresolved(syntax.span)
    ordered = tuple((m, given[m]) for m in metrics)
    return MakeLogs(syntax.span, LogsType(logs.name), logs.name, ordered)


def _refuse_positions(checker: BodyChecker, logs: LogsInterface, arguments: list[Given]) -> None:
    """Reports the values that are given by position, all of them at once."""
    values = [
        a for a in arguments if a.name is None and not isinstance(a.syntax, tree.Pattern | tree.ShapeExpr)
    ]
    if not values:
        return
    named = {a.name.text for a in arguments if a.name is not None}
    free = [m.name for m in logs.metrics if m.name not in named]
    meant = ", ".join(f"{name}={checker.text(a.span)}" for name, a in zip(free, values, strict=False))
    checker.report(
        "E0406",
        values[0].span.to(values[-1].span),
        f"the metrics of `{logs.name}` are given by name",
        help=f"write {meant}" if meant else None,
    )


def _metric_value(
    checker: BodyChecker,
    logs: LogsInterface,
    metrics: dict[str, MetricInterface],
    argument: Given,
    given: dict[str, Typed],
) -> Typed | None:
    if argument.typed is None:
        if argument.syntax is None or isinstance(argument.syntax, tree.Pattern | tree.ShapeExpr):
            checker.report("E0406", argument.span, "a metric is given a value")
            return None
        argument.typed = checker.expression(argument.syntax)
    value = argument.typed
    if argument.name is None:
        return None  # reported together
    name = argument.name.text
    if name in logs.broken:
        return None
    if name not in metrics:
        near = closest(name, metrics)
        checker.report(
            "E1401",
            argument.name.span,
            f"logs record `{logs.name}` has no metric `{name}`",
            help=f"did you mean `{near}`?" if near else f"its metrics are {', '.join(metrics)}",
        )
        return None
    if name in given:
        checker.report("E0406", argument.span, f"`{name}` is given twice")
        return None
    return value if _metric_fits(checker, logs, metrics[name], value) else None


def _metric_fits(checker: BodyChecker, logs: LogsInterface, metric: MetricInterface, value: Typed) -> bool:
    kind = value.type
    what = f"`{metric.name}` of `{logs.name}`"
    if isinstance(kind, ErrorType):
        return False
    if isinstance(metric.type, HostType):
        return check_host(checker, value, metric.type.kind, what, declared_here(logs.name))
    if isinstance(kind, TensorType) and kind.axes != ():
        checker.report(
            "E0403",
            value.span,
            f"{what} is a single number, and this is {kind}",
            help="reduce it, with mean or sum",
        )
        return False
    if isinstance(kind, HostType):
        return check_number(checker, value, metric.type, what)
    parameter = ParameterInterface(metric.name, metric.type)
    owner = FnInterface(logs.name, (parameter,), None)
    if isinstance(kind, PythonType):
        checker.report(
            "E0413",
            value.span,
            f"{what} is a tensor, and a value from Python has no type until it is asserted",
        )
        return False
    return check_argument(checker, owner, parameter, value, metric.type.domain, ())


# --- sinks -------------------------------------------------------------------------------------------------


def type_sink_method(
    checker: BodyChecker, syntax: tree.Call, name: tree.Name, sink: Typed, arguments: list[Given]
) -> Typed:
    """`sink.write(record)` and `sink.flush()`."""
    method = name.text
    counts = {"write": 1, "flush": 0}
    if method not in counts:
        near = closest(method, counts)
        checker.report(
            "E0301",
            name.span,
            f"a LogSink has no method `{method}`",
            help=f"did you mean `{near}`?" if near else "its methods are write(record) and flush()",
        )
        return checker.unresolved(syntax.span)
    if len(arguments) != counts[method] or any(a.name is not None for a in arguments):
        takes = "one logs record" if method == "write" else "no arguments"
        checker.report("E0406", syntax.span, f"`{method}` takes {takes}")
        return checker.unresolved(syntax.span)
    if not _changes_nothing(checker, method, arguments):
        return checker.unresolved(syntax.span)
    if not arguments:
        return SinkCall(syntax.span, NO_RESULT, sink, method, None)
    (given,) = arguments
    if (
        given.typed is None
        and given.syntax is not None
        and not isinstance(given.syntax, tree.Pattern | tree.ShapeExpr)
    ):
        given.typed = checker.expression(given.syntax)
    record = given.typed
    if record is None or isinstance(record.type, ErrorType):
        return checker.unresolved(syntax.span)
    if not isinstance(record.type, LogsType):
        checker.report(
            "E1403",
            record.span,
            f"a sink writes logs records, and this is {described(record.type)}",
            help="declare a record with `logs Name:`, and write Name(loss=...)",
        )
        return checker.unresolved(syntax.span)
    return SinkCall(syntax.span, NO_RESULT, sink, method, record)
