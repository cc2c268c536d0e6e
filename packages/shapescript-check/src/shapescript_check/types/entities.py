"""Types of values that are no tensors: models, gradients, optimizer state, data, logs, modes and schedules.

They are matched by the names of declarations, whose fields are in their interfaces.
"""

from __future__ import annotations

from typing import TypeGuard

from shapescript_check.types.axes import Axes, shape_text
from shapescript_syntax.records import value


@value
class ModelType:
    """A model, by its name."""

    name: str

    def __str__(self) -> str:
        return self.name


@value
class GradType:
    """A gradient with respect to the params of a model."""

    model: str

    def __str__(self) -> str:
        return f"Grad[{self.model}]"


@value
class OptimizerType:
    """Optimizer state for a model; `kind` is `AdamW` or `SGD`."""

    kind: str
    model: str

    def __str__(self) -> str:
        return f"{self.kind}[{self.model}]"


@value
class RecordType:
    """One example of a data record, or, with axes, a batch of them: in a batch each field has these axes first."""

    name: str
    axes: Axes

    def __str__(self) -> str:
        return f"{shape_text(self.axes)} {self.name}" if self.axes else self.name


@value
class DatasetType:
    """A dataset of a data record; `batched` after `batches(n)`."""

    record: str
    batched: bool = False

    def __str__(self) -> str:
        return f"batches of Dataset[{self.record}]" if self.batched else f"Dataset[{self.record}]"


@value
class LogsType:
    """A logs record, by its name."""

    name: str

    def __str__(self) -> str:
        return self.name


@value
class SinkType:
    def __str__(self) -> str:
        return "LogSink"


@value
class ModeType:
    def __str__(self) -> str:
        return "Mode"


@value
class ScheduleType:
    def __str__(self) -> str:
        return "Schedule"


SINK = SinkType()
MODE = ModeType()
SCHEDULE = ScheduleType()

Entity = (
    ModelType
    | GradType
    | OptimizerType
    | RecordType
    | DatasetType
    | LogsType
    | SinkType
    | ModeType
    | ScheduleType
)

ENTITIES: tuple[type, ...] = (
    ModelType,
    GradType,
    OptimizerType,
    RecordType,
    DatasetType,
    LogsType,
    SinkType,
    ModeType,
    ScheduleType,
)
"""For `isinstance`."""


def is_entity(kind: object) -> TypeGuard[Entity]:
    """Whether a type is one of this module's."""
    return isinstance(kind, ENTITIES)


CHANGEABLE: tuple[type, ...] = (ModelType, OptimizerType)
"""What a `mut` parameter can be."""
