"""What runs in a worker process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import random
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

import torch

from shapescript_runtime.batches import DataField
from shapescript_runtime.examples import read_batch

from .memory import Memory, slot_layout, slot_tensors
from .payload import unpacked
from .process import connection_of

# How often a worker with nothing to do looks whether the program is still there, in seconds.
_PATIENCE = 5.0


def main(handle: int) -> None:
    """Serves batches until the connection ends."""
    connection = connection_of(handle)
    torch.set_num_threads(1)
    with contextlib.suppress(EOFError, OSError):  # the program has closed its end, or is gone
        _serve(connection)


def _serve(connection: Connection) -> None:
    number, count, payload, extents, batches = _next(connection)
    try:
        dataset, fields = unpacked(payload, extents)
    except BaseException as error:
        connection.send(("unloadable", f"a worker can't unpickle it: {type(error).__name__}: {error}"))
        return
    _introduce(dataset, number, count)
    connection.send(("ready",))
    memory = Memory(batches)
    while True:
        ticket, size, start, most, indices, seed = _next(connection)
        if memory.size != size:
            memory.open(size)
        try:
            _seed(seed)
            _write(dataset, fields, memory, start, most, indices)
        except BaseException as error:
            connection.send(("error", ticket, *_portable(error)))
        else:
            connection.send(("batch", ticket))


def _next(connection: Connection) -> Any:
    """The next message. Where the end of the connection isn't noticed, the end of the program is."""
    parent = os.getppid()
    while not connection.poll(_PATIENCE):
        if os.getppid() != parent:
            raise EOFError
    return connection.recv()


def _write(
    dataset: Any, fields: list[DataField], memory: Memory, start: int, most: int, indices: list[int]
) -> None:
    layout, _ = slot_layout(fields, most)
    read_batch(dataset, indices, fields, slot_tensors(memory.mapping, start, fields, layout, len(indices)))


def _seed(seed: str) -> None:
    """Seeds what augmentations draw from, so that neither the worker nor its past decides what they draw.

    These generators are the worker's own: the program's aren't here.
    """
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
    # Not torch.manual_seed, which keeps a note for each GPU until one is used.
    torch.default_generator.manual_seed(number)
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number % 2**32)


def _introduce(dataset: Any, number: int, count: int) -> None:
    """Lets datasets written for torch's DataLoader ask which worker they are in."""
    try:
        from torch.utils.data._utils import worker

        worker._worker_info = worker.WorkerInfo(id=number, num_workers=count, seed=number, dataset=dataset)
    except (ImportError, AttributeError, TypeError):
        pass  # a torch that keeps it elsewhere


def _portable(error: BaseException) -> tuple[bytes | None, str, str]:
    """An exception as bytes that can be unpickled, if it can; its text; and where it came from."""
    name = f"{type(error).__name__}: {error}"
    text = "".join(traceback.format_exception(error))
    if not isinstance(error, Exception) or isinstance(error, StopIteration):
        return (
            None,
            name,
            text,
        )  # raised again, it would end the program, or its loop, as if nothing were wrong
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:
        return None, name, text
    return data, name, text
