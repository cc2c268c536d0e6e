"""Datasets loaded by worker processes."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import shapescript
import shapescript_runtime as rt
from tests.training import loaded
from tests.training.mlp import Digit
from tests.training.processes import loaders

pytestmark = [pytest.mark.usefixtures("one_worker"), pytest.mark.slow]


def dataset(items: Any) -> rt.Dataset:
    return rt.as_dataset(items, Digit, "a.ss:9:9", "train", "run")


def firsts(batches: Any) -> list[int]:
    return [int(image[0]) for batch in batches for image in batch.img]


@pytest.fixture(autouse=True)
def nobody_left_behind() -> Any:
    yield
    gc.collect()
    assert loaders() == []


def test_several_load_what_this_process_would() -> None:
    rt.loader_workers(2)
    data = rt.shuffled(dataset(loaded.Counted(75)), 3)
    batches = list(rt.batched(data, 8))
    assert len(loaders()) == 2
    assert [len(batch.label) for batch in batches] == [8] * 9 + [3]
    rt.loader_workers(0)
    here = list(rt.batched(rt.shuffled(dataset(loaded.Counted(75)), 3), 8))
    for one, other in zip(batches, here, strict=True):
        assert torch.equal(one.img, other.img)
        assert torch.equal(one.label, other.label)


def test_they_are_started_once_and_kept_for_loops_of_any_size() -> None:
    data = dataset(loaded.Counted(40))
    assert firsts(rt.batched(data, 8)) == list(range(40))
    first = loaders()
    assert len(first) == 1
    assert firsts(rt.batched(data, 16)) == list(range(40))
    assert firsts(rt.batched(rt.shuffled(data, 1), 3)) != list(range(40))
    assert firsts(rt.batched(data, 1)) == list(range(40))
    assert loaders() == first


def test_they_end_with_the_parameter() -> None:
    data = dataset(loaded.Counted(9))
    list(rt.batched(data, 8))
    assert len(loaders()) == 1
    del data
    gc.collect()
    assert loaders() == []


def test_batches_are_tensors_of_their_own() -> None:
    data = dataset(loaded.Counted(64))
    batches = list(rt.batched(data, 4))
    for batch in batches:
        batch.img.add_(1000)
    assert firsts(batches) == list(range(1000, 1064))


def test_they_are_fresh_processes_that_do_not_know_the_program() -> None:
    (batch,) = rt.batched(dataset(loaded.Where(8)), 8)
    pid, knows, workers, threads = batch.img[0, :4].tolist()
    assert pid != os.getpid()
    assert (knows, workers, threads) == (0, 1, 1)


def test_they_import_what_this_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among it .ss files, where the import hook is installed."""
    (tmp_path / "brighter.ss").write_text("devices cpu\n\nfn brighter(x: [n]) -> [n] = x + 1.0\n")
    (tmp_path / "augmented.py").write_text(
        "import torch\nimport brighter\n\n"
        "class Augmented:\n"
        "    def __len__(self): return 3\n"
        "    def __getitem__(self, i): return brighter.brighter(torch.full((12,), float(i))), i\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    shapescript.install()
    try:
        data = dataset(importlib.import_module("augmented").Augmented())
        assert firsts(rt.batched(data, 2)) == [1, 2, 3]
        assert len(loaders()) == 1
    finally:
        shapescript.uninstall()
        for name in ("augmented", "brighter"):
            sys.modules.pop(name, None)


def test_a_loop_left_early_does_no_harm_to_the_next() -> None:
    data = dataset(loaded.Counted(100))
    for batch in rt.batched(data, 4):
        assert batch.img[0, 0] == 0
        break
    assert firsts(rt.batched(data, 8)) == list(range(100))
    assert len(loaders()) == 1


def test_a_loop_inside_a_loop_over_the_same_dataset() -> None:
    data = dataset(loaded.Counted(6))
    seen = [(int(a.img[0, 0]), firsts(rt.batched(data, 4))) for a in rt.batched(data, 3)]
    assert seen == [(0, list(range(6))), (3, list(range(6)))]


def test_arrays_and_tensors_are_shared_until_they_are_written_to() -> None:
    data = dataset(loaded.Held(50))
    (batch,) = rt.batched(data, 50)
    assert batch.img[:, 0].tolist() == [2.0 * index + 1 for index in range(50)]
    assert data._ss_source.items.array[3] == 3


def test_an_item_that_does_not_fit_ends_them() -> None:
    batches = iter(rt.batched(dataset(loaded.Narrow(100)), 8))
    assert len(list(zip(range(4), batches, strict=False))) == 4
    with pytest.raises(rt.ShapeError) as raised:
        next(batches)
    assert str(raised.value) == ("mlp.ss:21:5: field `img` of item 37 should be [D] = (12,), got shape (11,)")
    assert raised.value.location == "mlp.ss:21:5"
    assert loaders() == []


def test_a_value_outside_its_domain_does_too() -> None:
    with pytest.raises(rt.DomainError, match="field `label` of item 21 should be"):
        list(rt.batched(dataset(loaded.Mislabelled(100)), 8))
    assert loaders() == []


def test_what_the_dataset_raises_is_raised_here_in_each_loop() -> None:
    data = dataset(loaded.Failing(20))
    for _ in range(2):
        with pytest.raises(KeyError, match="no such file") as raised:
            list(rt.batched(data, 4))
        item, note = raised.value.__notes__
        assert item.startswith("Raised by item ")
        assert "Raised in a loader worker" in note
        assert "loaded.py" in note
        assert loaders() == []


@pytest.mark.parametrize(
    ("items", "message"),
    [(loaded.FailingOddly(20), "Odd: nothing in particular"), (loaded.Leaving(20), "SystemExit: 3")],
)
def test_what_cannot_be_raised_here_is_told(items: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=f"a loader worker raised {message}"):
        list(rt.batched(dataset(items), 4))


def test_a_killed_worker_is_reported() -> None:
    with pytest.raises(
        RuntimeError, match=r"a loader worker \(process \d+\) was killed by SIGKILL.*loader_workers"
    ):
        list(rt.batched(dataset(loaded.Killed(20)), 4))
    assert loaders() == []


def test_one_killed_between_loops_is_replaced() -> None:
    data = dataset(loaded.Counted(20))
    list(rt.batched(data, 4))
    (worker,) = loaders()
    os.kill(worker, signal.SIGKILL)
    while data._ss_source._pool._workers[0].is_alive():
        threading.Event().wait(0.01)
    assert firsts(rt.batched(data, 4)) == list(range(20))
    assert loaders() not in ([], [worker])


def test_ctrl_c_is_for_the_program() -> None:
    data = dataset(loaded.Counted(20))
    list(rt.batched(data, 4))
    for pid in loaders():
        os.kill(pid, signal.SIGINT)
    assert firsts(rt.batched(data, 4)) == list(range(20))


def test_augmentations_draw_the_same_for_the_same_order() -> None:
    data = dataset(loaded.Noisy(40))
    epochs = [[batch.img for batch in rt.batched(rt.shuffled(data, seed), 8)] for seed in (1, 1, 2)]
    assert all(torch.equal(a, b) for a, b in zip(epochs[0], epochs[1], strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(epochs[0], epochs[2], strict=True))
    drawn = torch.cat(epochs[0])
    assert len(set(drawn[:, 5].tolist())) == 40
    rt.loader_workers(2)
    shared = [batch.img for batch in rt.batched(rt.shuffled(dataset(loaded.Noisy(40)), 1), 8)]
    assert all(torch.equal(a, b) for a, b in zip(epochs[0], shared, strict=True))


def test_augmentations_of_an_unshuffled_dataset_differ_from_loop_to_loop() -> None:
    data = dataset(loaded.Noisy(8))
    first, second = ([batch.img for batch in rt.batched(data, 8)] for _ in range(2))
    assert not torch.equal(first[0], second[0])


class TestLoadedHereInstead:
    """Datasets that workers can't have."""

    def warned(self, items: Any) -> str:
        data = dataset(items)
        with pytest.warns(RuntimeWarning) as warned:
            list(rt.batched(data, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            list(rt.batched(data, 4))
        (one,) = warned
        assert one.filename == __file__
        assert loaders() == []
        return str(one.message)

    def test_what_cannot_be_pickled(self) -> None:
        class Local(loaded.Counted):
            pass

        message = self.warned(Local(10))
        assert message.startswith(
            "the dataset `train` is loaded in the calling process, not by worker processes: it can't be pickled"
        )
        assert "Local" in message
        items = loaded.Counted(10)
        items.lock = threading.Lock()  # type: ignore[attr-defined]
        assert "cannot pickle '_thread.lock' object" in self.warned(items)

    def test_what_a_worker_cannot_unpickle(self) -> None:
        assert "a worker can't unpickle it: OSError: the data isn't on this machine" in self.warned(
            loaded.Broken(10)
        )

    def test_what_the_main_script_defines(self, tmp_path: Path) -> None:
        script = tmp_path / "train.py"
        script.write_text(
            "import torch\n"
            "import shapescript_runtime as rt\n"
            "from tests.training.mlp import D, Digit\n"
            "print('started')\n"
            "rt.devices('cpu')\n"
            "rt.loader_workers(1)\n"
            "class Mine(list): pass\n"
            "data = rt.as_dataset(Mine([(torch.zeros(D), 1)] * 5), Digit, 'a.ss:1:1', 'train', 'run')\n"
            "for batch in rt.batched(data, 3):\n"
            "    print(len(batch.label))\n"
            "other = rt.as_dataset([(torch.zeros(D), 1)] * 5, Digit, 'a.ss:1:1', 'train', 'run')\n"
            "print(len(list(rt.batched(other, 3))))\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=True
        )
        # Once: no worker has run the script, though the last dataset was loaded by one.
        assert done.stdout.split() == ["started", "3", "2", "2"]
        assert "RuntimeWarning: the dataset `train` is loaded in the calling process" in done.stderr
        assert "refers to `Mine` of the main script" in done.stderr
        assert "move `Mine` to a module of its own" in done.stderr


def test_a_datasets_module_may_import_ss_files(tmp_path: Path) -> None:
    (tmp_path / "sizes.ss").write_text(
        "devices cpu\ndim Width = 3\ndata Row:\n    x: [Width]\n"
        "fn total(rows: Dataset[Row]) -> []:\n    t = zeros([])\n    for row in rows |> batches(2):\n"
        "        t = t + sum(row.x)\n    return t\n"
    )
    (tmp_path / "rows.py").write_text(
        "from sizes import Width\n"
        "class Rows:\n"
        "    def __len__(self): return 3\n"
        "    def __getitem__(self, index): return [[1.0] * Width]\n"
    )
    (tmp_path / "train.py").write_text(
        "import shapescript\nshapescript.install(value_checks='off')\nshapescript.loader_workers(1)\n"
        "import rows, sizes\nprint(sizes.total(rows.Rows()).item())\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", tmp_path / "train.py"], capture_output=True, text=True
    )
    assert done.stdout == "9.0\n", done.stderr


def test_they_end_when_the_program_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, signal\n"
        "import shapescript_runtime as rt\n"
        "from tests.training.loaded import Counted\n"
        "from tests.training.mlp import D, Digit\n"
        "rt.devices('cpu')\n"
        "rt.loader_workers(1)\n"
        "data = rt.as_dataset(Counted(50), Digit, 'a.ss:1:1')\n"
        "for batch in rt.batched(data, 2):\n"
        "    print(data._ss_source._pool._workers[0].pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    worker = int(done.stdout)
    for _ in range(100):
        if not Path(f"/proc/{worker}").exists() or " Z " in Path(f"/proc/{worker}/stat").read_text():
            return
        threading.Event().wait(0.1)
    raise AssertionError("the worker is still there")


@pytest.mark.parametrize(("count", "error"), [(-1, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_a_number_of_workers_is_an_int_of_at_least_0(count: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        rt.loader_workers(count)
    assert rt.loader_workers(2) == 1


def test_a_batch_may_be_larger_than_what_containers_have_for_shared_memory() -> None:
    class Large(rt.Batch):
        _ss_fields = (rt.DataField("x", (2**20,), torch.float32, "[N]", "a.ss:1:1"),)

    assert 20 * 2**20 * 4 > 64 * 2**20  # bytes, of the 64 MB that /dev/shm usually is there
    batches = rt.batched(rt.as_dataset(loaded.Large(20), Large, "a.ss:9:9"), 20)
    (batch,) = batches
    assert batch.x[:, -1].tolist() == list(range(20))
