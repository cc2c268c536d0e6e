"""Sinks for logs records: CSV, JSON lines and TensorBoard.

    with shapescript.sinks.csv("losses.csv", every=None) as sink:
        train.fit(model, digits, sink, epochs=5, mode=shapescript.Eval)

Each takes `every=`: with 1, the default, each record is a row; with n, each row combines n records, metric by metric
as its declaration says; with None, a row is written when the program flushes. A flush writes the records since the last
row, if there are any, and so does closing. What nobody closes is closed when it is dropped, or when the program ends.
"""

from __future__ import annotations

import atexit
import json as _json
import math
import operator
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from .logs import LogRecord

__all__ = ["Sink", "combine", "csv", "jsonl", "tensorboard"]


class _Combined:
    """Records of one name, combined as they come."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0  # of all rows
        self._name = ""
        self._rules: dict[str, str] = {}
        self._values: dict[str, float] = {}

    def add(self, record: Mapping[str, float]) -> None:
        rules: Mapping[str, str] = getattr(record, "combine", {})
        if not self.count:
            self._name = getattr(record, "name", "")
            self._rules = {name: rules.get(name, "last") for name in record}
            self._values = dict(record)
        elif record.keys() != self._values.keys():
            raise ValueError(
                f"records of {', '.join(self._values)} and of {', '.join(record)} can't be combined with each other"
            )
        else:
            for name, value in record.items():
                self._values[name] = _RULES[self._rules[name]](self._values[name], value)
        self.count += 1
        self.total += 1

    def take(self) -> LogRecord:
        """The records since the last one taken, as one."""
        found = {
            name: value / self.count if self._rules[name] == "mean" else value
            for name, value in self._values.items()
        }
        self.count = 0
        return LogRecord(found, self._name, self._rules)


def _largest(a: float, b: float) -> float:
    # Once something isn't a number, the largest of them isn't either, wherever it came.
    return a if math.isnan(a) or a > b else b


def _smallest(a: float, b: float) -> float:
    return a if math.isnan(a) or a < b else b


def _latest(a: float, b: float) -> float:  # noqa: ARG001 (one of the rules)
    return b


_RULES: dict[str, Callable[[float, float], float]] = {
    "mean": operator.add,
    "sum": operator.add,
    "max": _largest,
    "min": _smallest,
    "last": _latest,
}


def combine(records: Sequence[Mapping[str, float]]) -> LogRecord:
    """Combines records of one kind to one, metric by metric, as the sinks here do.

    Raises ValueError for no records, or records of different metrics.
    """
    if not records:
        raise ValueError("there are no records to combine")
    combined = _Combined()
    for record in records:
        combined.add(record)
    return combined.take()


class Sink:
    """What the sinks here have in common. `_row` writes a row, and `_end` closes what rows go to.

    Arguments:
        every: how many records make a row, or None for those between two flushes.

    Raises ValueError if that is less than 1.
    """

    _closed = True  # until it is made

    def __init__(self, every: int | None) -> None:
        if every is not None and (type(every) is not int or every < 1):
            raise ValueError(f"every= is how many records make a row, at least 1, or None, not {every!r}")
        self._every = every
        self._kinds: dict[str, _Combined] = {}
        self._owner = os.getpid()
        self._closed = False
        _open.add(self)

    def write(self, record: Mapping[str, float]) -> None:
        """Takes a record, and writes a row if it completes one.

        Raises ValueError if the sink is closed, or the record is of other metrics than those before.
        """
        if self._closed:
            raise ValueError("this sink is closed, so nothing can be written to it")
        kind = self._kinds.setdefault(getattr(record, "name", ""), _Combined())
        kind.add(record)
        if kind.count == self._every:
            self._row(kind.take(), kind.total - 1)

    def flush(self) -> None:
        """Writes a row of the records since the last one, if there are any."""
        for kind in self._kinds.values():
            if kind.count:
                self._row(kind.take(), kind.total - 1)

    def close(self) -> None:
        """Flushes, and closes what it writes to. Closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self.flush()
        finally:
            self._end()

    def _end(self) -> None:
        """Called once, after the last row."""

    def __del__(self) -> None:
        if not self._closed and self._owner == os.getpid():  # a process that was forked off has a copy
            self.close()

    def _row(self, record: LogRecord, step: int) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_open: WeakSet[Sink] = WeakSet()


@atexit.register
def _close_all() -> None:
    for sink in list(_open):
        if sink._owner == os.getpid():
            try:
                sink.close()
            except Exception:
                traceback.print_exc()  # and on to the others


class _File(Sink):
    """A sink that writes lines of text, each of them at once.

    Arguments:
        append: goes on with the file that is there, without a last line that was cut short.
    """

    _file: Any = None

    def __init__(self, path: str | os.PathLike[str], every: int | None, append: bool) -> None:
        super().__init__(every)
        self._first = _cut(path) if append else ""
        self._file = open(  # noqa: SIM115 (_end() closes it)
            path, "a" if append else "w", encoding="utf-8", newline=""
        )

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()


def _cut(path: str | os.PathLike[str]) -> str:
    """Cuts off a last line without an end, and returns the first line; "" for a file that isn't there."""
    try:
        file = open(path, "rb+")  # noqa: SIM115 (closed below)
    except FileNotFoundError:
        return ""
    with file:
        first, end = file.readline(), 0
        file.seek(0)
        for line in file:
            end += len(line) if line.endswith(b"\n") else 0
        file.truncate(end)
    return first.decode(errors="replace").rstrip("\r\n") if end else ""


class _Csv(_File):
    def __init__(self, path: str | os.PathLike[str], every: int | None, append: bool) -> None:
        super().__init__(path, every, append)
        from csv import writer

        self._writer = writer(self._file, lineterminator="\n")
        self._columns: list[str] | None = self._first.split(",") if self._first else None

    def _row(self, record: LogRecord, step: int) -> None:  # noqa: ARG002 (as in every sink)
        if self._columns is None:
            self._columns = list(record)
            self._writer.writerow(self._columns)
        elif self._columns != list(record):
            raise ValueError(
                f"this CSV file has the columns {', '.join(self._columns)}, and a record `{record.name}` has "
                f"{', '.join(record)}: write each kind of record to a file of its own"
            )
        self._writer.writerow(record.values())
        self._file.flush()


class _Jsonl(_File):
    def _row(self, record: LogRecord, step: int) -> None:  # noqa: ARG002 (as in every sink)
        # JSON has neither NaN nor infinities.
        row = {name: value if math.isfinite(value) else None for name, value in record.items()}
        self._file.write(_json.dumps(row, allow_nan=False) + "\n")
        self._file.flush()


class _TensorBoard(Sink):
    _writer: Any = None

    def __init__(self, log_dir: str | os.PathLike[str], every: int | None, start: int) -> None:
        self._start = start
        super().__init__(every)
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ImportError(
                "shapescript.sinks.tensorboard needs the tensorboard package: pip install tensorboard"
            ) from error
        # What a run that was interrupted wrote past the start isn't shown.
        self._writer = SummaryWriter(os.fspath(log_dir), purge_step=start or None)

    def _row(self, record: LogRecord, step: int) -> None:
        for name, value in record.items():
            self._writer.add_scalar(name, value, self._start + step)

    def flush(self) -> None:
        super().flush()
        if self._writer is not None:
            self._writer.flush()

    def _end(self) -> None:
        if self._writer is not None:
            self._writer.close()


def csv(path: str | os.PathLike[str], every: int | None = 1, *, append: bool = False) -> Sink:
    """A sink that writes a CSV file: the metrics' names, and then a row for each group of records.

    It replaces the file that is there; with `append` it goes on after its rows, as a run that is resumed should.
    """
    return _Csv(path, every, append)


def jsonl(path: str | os.PathLike[str], every: int | None = 1, *, append: bool = False) -> Sink:
    """A sink that writes a line for each group of records, a JSON object of its numbers. What isn't finite is null.

    It replaces the file that is there; with `append` it goes on after its lines.
    """
    return _Jsonl(path, every, append)


def tensorboard(log_dir: str | os.PathLike[str], every: int | None = 1, *, start: int = 0) -> Sink:
    """A sink that writes each metric as a TensorBoard scalar of its name, at the step of a group's last record.

    Steps count the records from `start`, which for a run that is resumed is how many were written before it.

    Raises ImportError without the tensorboard package.
    """
    return _TensorBoard(log_dir, every, start)
