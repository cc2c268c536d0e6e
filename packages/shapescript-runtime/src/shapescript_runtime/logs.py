"""Logs records: the numbers that a program reports, and their way to a sink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import torch

from .errors import ShapeError
from .kinds import kind_of, refuse_kind

_KINDS = {"float": float, "int": int, "bool": bool}


class Metric(NamedTuple):
    """A metric of a logs record.

    Arguments:
        name: its name.
        kind: what it is as a Python number: "float", "int" or "bool".
        combine: how several are combined: "mean", "sum", "max", "min" or "last".
    """

    name: str
    kind: str
    combine: str


class Logs:
    """What a `logs` record compiles to: a class of its own, with its metrics in `_ss_metrics`.

    A record holds its values as they are: a tensor stays on its device until the record is written.
    """

    _ss_metrics: ClassVar[tuple[Metric, ...]] = ()
    _ss_names: ClassVar[frozenset[str]] = frozenset()
    _ss_combine: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._ss_names = frozenset(metric.name for metric in cls._ss_metrics)
        cls._ss_combine = {metric.name: metric.combine for metric in cls._ss_metrics}

    def __init__(self, **metrics: Any) -> None:
        if metrics.keys() != self._ss_names:
            names = ", ".join(metric.name for metric in self._ss_metrics)
            raise TypeError(
                f"{type(self).__name__} is made of {names}, not {', '.join(metrics) or 'nothing'}"
            )
        self.__dict__ = metrics

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in numbers(self).items())})"


class LogRecord(dict[str, float]):
    """What a sink is given: each metric's name with its number, in the order they are declared.

    Attributes:
        name: the record's name.
        combine: how each metric combines.
    """

    def __init__(self, metrics: Mapping[str, float], name: str, combine: Mapping[str, str]) -> None:
        super().__init__(metrics)
        self.name = name
        self.combine = dict(combine)

    def __reduce__(self) -> tuple[Any, ...]:
        return LogRecord, (dict(self), self.name, self.combine)


def numbers(record: Logs) -> dict[str, float]:
    """The numbers of a record, copied to the CPU, in the order its metrics are declared.

    Raises ShapeError for a value that is no single number.
    """
    values = record.__dict__
    read = _read(values)
    return {m.name: _number(m, read.get(m.name, values[m.name]), record) for m in record._ss_metrics}


def _number(metric: Metric, value: Any, record: Logs) -> float:
    try:
        return _KINDS[metric.kind](value.detach() if isinstance(value, torch.Tensor) else value)
    except (TypeError, ValueError, RuntimeError):
        name = f"metric `{metric.name}` of `{type(record).__name__}`"
        raise ShapeError(f"{name} should be a single number, got {kind_of(value)}") from None


def _read(values: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of the tensors on other devices: for each dtype one wait, rather than one for each tensor."""
    groups: dict[torch.dtype, list[str]] = {}
    for name, value in values.items():
        if isinstance(value, torch.Tensor) and not value.is_cpu and value.numel() == 1:
            groups.setdefault(value.dtype, []).append(name)
    found: dict[str, float] = {}
    for names in groups.values():
        together = torch.stack([values[name].detach().reshape(()) for name in names])
        found.update(zip(names, together.tolist(), strict=True))
    return found


def write_record(sink: Any, record: Any) -> None:
    """Writes a record to a sink, as numbers.

    Raises:
        KindError: it isn't a logs record.
        And whatever the sink raises.
    """
    if not isinstance(record, Logs):
        refuse_kind(kind_of(record), "a logs record", None, "record", "write")
    sink.write(LogRecord(numbers(record), type(record).__name__, record._ss_combine))


def flush_sink(sink: Any) -> None:
    """Calls the sink's flush, if it has one."""
    flush = getattr(sink, "flush", None)
    if flush is not None:
        flush()


def check_logs(
    value: Any, record: type[Logs], where: str, argument: str | None = None, function: str | None = None
) -> None:
    """Checks that an argument is a logs record of a name.

    Raises KindError if it isn't one.
    """
    if type(value) is record:
        return
    if isinstance(value, Logs):
        if type(value).__name__ == record.__name__ and type(value)._ss_metrics == record._ss_metrics:
            return
        what = f"one of `{type(value).__name__}`"
    else:
        what = kind_of(value)
    refuse_kind(what, f"a logs record `{record.__name__}`", where, argument, function)


def check_sink(value: Any, where: str, argument: str | None = None, function: str | None = None) -> None:
    """Checks that an argument is a sink: an object with a write method.

    Raises KindError if it isn't one.
    """
    if not callable(getattr(value, "write", None)) or isinstance(value, type):
        refuse_kind(kind_of(value), "a sink, an object with a write method", where, argument, function)
