"""Whether a value is the model, record, optimizer state, mode, sink or schedule that is expected."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.typed.tree import Typed
from shapescript_check.types.entities import (
    DatasetType,
    Entity,
    GradType,
    LogsType,
    ModelType,
    ModeType,
    OptimizerType,
    RecordType,
    ScheduleType,
    SinkType,
)
from shapescript_check.types.values import ErrorType, HostType, NoResult, PythonType, ResultsType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax.diagnostics import Label


def check_entity(
    checker: BodyChecker, value: Typed, expected: Entity, what: str, labels: Sequence[Label] = ()
) -> bool:
    """Reports the code of the expected kind of value where a value is another. The axes of a batch are not compared
    here: sizes are the caller's to solve."""
    kind = value.type
    if isinstance(kind, ErrorType) or _takes_python(kind, expected) or same_entity(kind, expected):
        return True
    code, note = _refusal(kind, expected)
    if isinstance(kind, ResultsType | NoResult):
        code, note = "E0412", None
    checker.report(
        code,
        value.span,
        f"{what} is {described(kind)}, and {described(expected)} is expected",
        labels=labels,
        notes=(note,) if note else (),
        help=_help(kind, expected),
    )
    return False


def same_entity(kind: ValueType, expected: Entity) -> bool:
    """Whether a type is the expected one, but for the sizes of a batch's axes."""
    if isinstance(expected, RecordType):
        return (
            isinstance(kind, RecordType)
            and kind.name == expected.name
            and len(kind.axes) == len(expected.axes)
        )
    if isinstance(expected, ScheduleType):
        return isinstance(kind, ScheduleType) or (isinstance(kind, HostType) and kind.kind != "bool")
    return kind == expected


def _takes_python(kind: ValueType, expected: Entity) -> bool:
    """Python values fit where run time checks what they are."""
    return isinstance(kind, PythonType) and isinstance(
        expected, ModelType | OptimizerType | ModeType | ScheduleType | SinkType | GradType
    )


def _refusal(kind: ValueType, expected: Entity) -> tuple[str, str | None]:
    """The code for another value than is expected, and a note."""
    if isinstance(expected, ModelType | GradType):
        models = isinstance(kind, ModelType | GradType) and type(kind) is type(expected)
        return "E0904", "models are matched by name" if models else None
    if isinstance(expected, OptimizerType):
        other = isinstance(kind, OptimizerType) and kind.kind == expected.kind
        return ("E1502" if other else "E1503"), None
    if isinstance(expected, RecordType | DatasetType):
        return "E1303", _about_records(kind, expected)
    if isinstance(expected, LogsType):
        return "E1403", "records are matched by name" if isinstance(kind, LogsType) else None
    if isinstance(expected, SinkType):
        return "E1404", "a sink is a Python object with a write(dict) method, passed in from Python"
    return ("E1202" if isinstance(expected, ModeType) else "E1504"), None


def _about_records(kind: ValueType, expected: RecordType | DatasetType) -> str | None:
    if not isinstance(kind, RecordType | DatasetType):
        return None
    mine, wanted = (k.record if isinstance(k, DatasetType) else k.name for k in (kind, expected))
    if mine != wanted:
        return "records are matched by name"
    if isinstance(kind, RecordType) and isinstance(expected, RecordType):
        return f"{kind} has {_axes(kind)}, and {expected} has {_axes(expected)}"
    return None


def _axes(kind: RecordType) -> str:
    count = len(kind.axes)
    return "no batch axis" if count == 0 else "1 batch axis" if count == 1 else f"{count} batch axes"


def _help(kind: ValueType, expected: Entity) -> str | None:
    if isinstance(expected, ModeType):
        return "pass Train(seed=0) to train, Eval to evaluate, or Sample(seed=0) to draw without training"
    if isinstance(expected, ScheduleType):
        return "a learning rate is a Python number or a schedule, such as cosine(3e-4, 1000)"
    if isinstance(expected, DatasetType) and isinstance(kind, DatasetType) and kind.batched:
        return "pass the dataset itself, and cut it into batches where it is looped over"
    if isinstance(expected, RecordType) and isinstance(kind, DatasetType):
        return "loop over its batches: for batch in dataset |> batches(64)"
    return None
