"""Logs records, and sinks that write them."""

from __future__ import annotations

import builtins
import csv
import json
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import shapescript_runtime as rt
from shapescript_runtime import sinks
from tests.training.mlp import Kept, StepLogs


class Every(rt.Logs):
    """A metric of each kind and rule."""

    _ss_metrics = (
        rt.Metric("mean", "float", "mean"),
        rt.Metric("sum", "int", "sum"),
        rt.Metric("max", "float", "max"),
        rt.Metric("min", "float", "min"),
        rt.Metric("last", "bool", "last"),
    )


def written(*records: rt.Logs) -> list[rt.LogRecord]:
    sink = Kept()
    for record in records:
        rt.write_record(sink, record)
    return sink.records


def step(loss: float, grad_norm: float = 0.0) -> rt.LogRecord:
    return written(StepLogs(loss=loss, grad_norm=grad_norm))[0]


class TestRecords:
    def test_its_metrics_are_attributes(self) -> None:
        loss = torch.tensor(0.5)
        record = StepLogs(loss=loss, grad_norm=2)
        assert record.loss is loss
        assert repr(record) == "StepLogs(loss=0.5, grad_norm=2.0)"

    @pytest.mark.parametrize("metrics", [{"loss": 1}, {"loss": 1, "grad_norm": 1, "more": 1}, {}])
    def test_it_is_made_of_all_of_them(self, metrics: Any) -> None:
        with pytest.raises(TypeError, match="StepLogs is made of loss, grad_norm, not"):
            StepLogs(**metrics)

    def test_a_sink_is_given_numbers_of_each_metrics_kind(self) -> None:
        (record,) = written(
            Every(
                max=3,
                mean=torch.tensor(0.25, dtype=torch.bfloat16, requires_grad=True),
                sum=torch.tensor(2**60),
                min=torch.tensor([[1.5]]),
                last=torch.tensor(True),
            )
        )
        assert record == {"mean": 0.25, "sum": 2**60, "max": 3.0, "min": 1.5, "last": True}
        assert [type(value) for value in record.values()] == [float, int, float, float, bool]
        assert list(record) == ["mean", "sum", "max", "min", "last"]
        assert type(record) is rt.LogRecord
        assert record.name == "Every"
        assert record.combine == {"mean": "mean", "sum": "sum", "max": "max", "min": "min", "last": "last"}
        assert pickle.loads(pickle.dumps(record)).combine == record.combine

    def test_a_value_that_is_no_single_number_is_refused(self) -> None:
        with pytest.raises(
            rt.ShapeError, match=r"metric `loss` of `StepLogs` should be a single number, got a tensor"
        ):
            written(StepLogs(loss=torch.zeros(2), grad_norm=0))

    def test_only_records_are_written(self) -> None:
        with pytest.raises(
            rt.KindError, match="argument `record` of `write` should be a logs record, got a dict"
        ):
            rt.write_record(Kept(), {"loss": 1})

    def test_a_sink_without_a_flush_is_not_flushed(self) -> None:
        rt.flush_sink(Kept())

    def test_parameters_take_records_of_their_name_and_sinks(self) -> None:
        again = type("StepLogs", (rt.Logs,), {"_ss_metrics": StepLogs._ss_metrics})
        for record in (StepLogs(loss=1, grad_norm=1), again(loss=1, grad_norm=1)):
            rt.check_logs(record, StepLogs, "a.ss:1:1", "r", "f")
        with pytest.raises(
            rt.KindError,
            match=r"^a\.ss:1:1: argument `r` of `f` should be a logs record `StepLogs`, got a",
        ):
            rt.check_logs({}, StepLogs, "a.ss:1:1", "r", "f")
        with pytest.raises(rt.KindError, match="got one of `Every`"):
            rt.check_logs(Every(mean=0, sum=0, max=0, min=0, last=0), StepLogs, "a.ss:1:1", "r", "f")
        rt.check_sink(Kept(), "a.ss:1:1", "sink", "f")
        for value in (None, [], Kept):
            with pytest.raises(
                TypeError, match="`sink` of `f` should be a sink, an object with a write method"
            ):
                rt.check_sink(value, "a.ss:1:1", "sink", "f")


class TestCombining:
    def test_each_metric_by_its_rule(self) -> None:
        records = written(
            Every(mean=1.0, sum=1, max=1.0, min=1.0, last=False),
            Every(mean=2.0, sum=2, max=3.0, min=3.0, last=False),
            Every(mean=6.0, sum=3, max=2.0, min=2.0, last=True),
        )
        combined = sinks.combine(records)
        assert combined == {"mean": 3.0, "sum": 6, "max": 3.0, "min": 1.0, "last": True}
        assert (combined.name, combined.combine) == ("Every", records[0].combine)
        assert sinks.combine(records[:1]) == records[0]

    @pytest.mark.parametrize("values", [(math.nan, 1.0, 2.0), (1.0, math.nan, 2.0), (1.0, 2.0, math.nan)])
    def test_what_is_not_a_number_stays_so(self, values: tuple[float, ...]) -> None:
        records = written(*(Every(mean=0, sum=0, max=v, min=v, last=0) for v in values))
        combined = sinks.combine(records)
        assert math.isnan(combined["max"])
        assert math.isnan(combined["min"])

    def test_there_is_something_to_combine(self) -> None:
        with pytest.raises(ValueError, match="there are no records"):
            sinks.combine([])
        with pytest.raises(ValueError, match="records of loss, grad_norm and of x can't be combined"):
            sinks.combine([step(1.0), rt.LogRecord({"x": 1.0}, "Other", {})])


def rows(path: Path) -> list[list[str]]:
    with open(path, newline="") as file:
        return list(csv.reader(file))


class TestCsv:
    def test_each_record_is_a_row_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        sink = sinks.csv(path)
        sink.write(step(0.5, 2.0))
        assert rows(path) == [["loss", "grad_norm"], ["0.5", "2.0"]]
        sink.write(step(0.25, 1.0))
        assert rows(path)[2:] == [["0.25", "1.0"]]
        sink.close()
        sink.close()

    def test_rows_of_several_records(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        with sinks.csv(path, every=2) as sink:
            for number in range(5):
                sink.write(step(float(number), float(number)))
        assert rows(path)[1:] == [["0.5", "1.0"], ["2.5", "3.0"], ["4.0", "4.0"]]

    def test_a_row_for_each_flush(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        with sinks.csv(str(path), every=None) as sink:
            for epoch in range(2):
                for number in range(3):
                    sink.write(step(number + epoch, -number))
                sink.flush()
                sink.flush()
        assert rows(path)[1:] == [["1.0", "0.0"], ["2.0", "0.0"]]

    def test_a_file_has_one_kind_of_record(self, tmp_path: Path) -> None:
        with sinks.csv(tmp_path / "losses.csv") as sink:
            sink.write(step(1.0))
            with pytest.raises(
                ValueError, match="has the columns loss, grad_norm, and a record `Other` has x"
            ):
                sink.write(rt.LogRecord({"x": 1.0}, "Other", {}))

    def test_a_run_that_is_resumed_goes_on_with_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        for _ in range(2):
            with sinks.csv(path, append=True) as sink:
                sink.write(step(0.5, 2.0))
        path.write_text(path.read_text() + "0.2")  # and was killed
        with sinks.csv(path, append=True) as sink:
            sink.write(step(0.25, 1.0))
        assert rows(path) == [["loss", "grad_norm"], ["0.5", "2.0"], ["0.5", "2.0"], ["0.25", "1.0"]]

    def test_it_goes_on_with_records_of_the_files_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.csv"
        with sinks.csv(path) as sink:
            sink.write(step(0.5, 2.0))
        with (
            sinks.csv(path, append=True) as sink,
            pytest.raises(ValueError, match="has the columns loss, grad"),
        ):
            sink.write(rt.LogRecord({"x": 1.0}, "Other", {}))

    def test_nothing_is_lost_that_nobody_flushed(self, tmp_path: Path) -> None:
        sink = sinks.csv(tmp_path / "dropped.csv", every=None)
        sink.write(step(0.5, 2.0))
        del sink
        assert rows(tmp_path / "dropped.csv")[1:] == [["0.5", "2.0"]]

    @pytest.mark.slow
    def test_nor_when_the_program_ends(self, tmp_path: Path) -> None:
        program = (
            "from shapescript_runtime import LogRecord, sinks\n"
            "import os, sys\n"
            "sink = sinks.csv(sys.argv[1], every=None)\n"
            "sink.write(LogRecord({'x': 1.5}, 'X', {}))\n"
            "if os.fork() == 0: sys.exit()\n"
            "os.wait()\n"
            "sys.modules['keeps it'] = sink\n"
            "raise KeyboardInterrupt\n"
        )
        path = tmp_path / "ended.csv"
        subprocess.run([sys.executable, "-c", program, str(path)], check=False, capture_output=True)
        assert rows(path) == [["x"], ["1.5"]]

    def test_a_closed_one_takes_no_more(self, tmp_path: Path) -> None:
        for sink in (sinks.csv(tmp_path / "a.csv", every=None), sinks.jsonl(tmp_path / "a.jsonl", every=10)):
            sink.close()
            sink.flush()
            with pytest.raises(ValueError, match="this sink is closed"):
                sink.write(step(0.5))

    @pytest.mark.parametrize("every", [0, -1, 1.5, True, "2"])
    def test_every_is_a_count(self, tmp_path: Path, every: Any) -> None:
        with pytest.raises(ValueError, match="every="):
            sinks.csv(tmp_path / "losses.csv", every=every)


class TestJsonl:
    def test_a_row_is_an_object(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.jsonl"
        with sinks.jsonl(path) as sink:
            sink.write(step(0.5, 2.0))
            sink.write(step(math.nan, math.inf))
            lines = path.read_text().splitlines()
        assert [json.loads(line) for line in lines] == [
            {"loss": 0.5, "grad_norm": 2.0},
            {"loss": None, "grad_norm": None},
        ]

    def test_it_goes_on_with_the_file_of_a_run_that_is_resumed(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.jsonl"
        for loss in (0.5, 0.25):
            with sinks.jsonl(path, append=True) as sink:
                sink.write(step(loss))
        assert [json.loads(line)["loss"] for line in path.read_text().splitlines()] == [0.5, 0.25]

    def test_records_of_two_kinds_are_combined_apart(self, tmp_path: Path) -> None:
        path = tmp_path / "losses.jsonl"
        with sinks.jsonl(path, every=2) as sink:
            for number in range(3):
                sink.write(step(float(number)))
                sink.write(rt.LogRecord({"x": number}, "Other", {"x": "sum"}))
        assert [json.loads(line) for line in path.read_text().splitlines()] == [
            {"loss": 0.5, "grad_norm": 0.0},
            {"x": 1},
            {"loss": 2.0, "grad_norm": 0.0},
            {"x": 2},
        ]


class TestTensorBoard:
    def test_tensorboard_reads_it_back(self, tmp_path: Path) -> None:
        accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
        with sinks.tensorboard(tmp_path / "runs", every=2) as sink:
            for number in range(5):
                sink.write(step(float(number), float(number)))
        events = accumulator.EventAccumulator(str(tmp_path / "runs"))
        events.Reload()
        assert events.Tags()["scalars"] == ["loss", "grad_norm"]
        assert [(e.step, e.value) for e in events.Scalars("loss")] == [(1, 0.5), (3, 2.5), (4, 4.0)]
        assert [(e.step, e.value) for e in events.Scalars("grad_norm")] == [(1, 1.0), (3, 3.0), (4, 4.0)]

    def test_a_run_that_is_resumed_counts_on(self, tmp_path: Path) -> None:
        accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
        for start in (
            0,
            2,
        ):  # the first run was killed after 3 records, the last of them not in its checkpoint
            with sinks.tensorboard(tmp_path, start=start) as sink:
                for number in range(3):
                    sink.write(step(float(start + number)))
        events = accumulator.EventAccumulator(str(tmp_path))
        events.Reload()
        assert [(e.step, e.value) for e in events.Scalars("loss")] == [(n, float(n)) for n in range(5)]

    def test_without_the_package_it_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        original = builtins.__import__

        def missing(name: str, *rest: Any) -> Any:
            if name.startswith(("tensorboard", "torch.utils.tensorboard")):
                raise ImportError(name)
            return original(name, *rest)

        monkeypatch.setattr(builtins, "__import__", missing)
        with pytest.raises(
            ImportError, match=r"shapescript\.sinks\.tensorboard needs the tensorboard package"
        ):
            sinks.tensorboard(tmp_path)
