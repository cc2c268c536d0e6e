"""The workers of one dataset, and the batches they have in hand."""

from __future__ import annotations

import math
import os
import pickle
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, NoReturn

import torch

from shapescript_runtime.batches import DataField
from shapescript_runtime.errors import DomainError, ShapeError

from .memory import Memory, slot_layout
from .payload import CantLoadError, Payload
from .process import Process

__all__ = ["CantLoadError", "Pool"]

# How many batches each worker has in hand: one that it reads, and one that waits for it.
_AHEAD = 2


class Pool:
    """Worker processes that hold a dataset.

    They write batches to slots of shared memory, in whatever order they finish them; the loop takes them in its own.
    """

    def __init__(self, dataset: Any, fields: Sequence[DataField], count: int) -> None:
        """Raises CantLoadError if workers can't have the dataset."""
        self._fields = list(fields)
        self._memory = Memory()
        self._workers: list[Process] = []
        self._owner = os.getpid()
        self._ticket = 0
        self._stale: dict[int, int] = {}  # tickets that no loop waits for anymore, and their slots
        self.busy = False
        payload = Payload((dataset, self._fields))
        self._end = weakref.finalize(self, _end, self._workers, self._memory, self._owner)
        try:
            for _ in range(count):
                self._workers.append(Process([payload.memory, self._memory]))
            # All of them start at once, and then each is waited for.
            for number, worker in enumerate(self._workers):
                start = number, count, payload.memory.handle, payload.extents, self._memory.handle
                self._introduce(worker, start)
        except BaseException:
            self.close()
            raise
        finally:
            payload.memory.close()

    def _introduce(self, worker: Process, start: tuple[Any, ...]) -> None:
        try:
            worker.connection.send(start)
            message = worker.connection.recv()
        except (EOFError, OSError):
            raise CantLoadError(f"a worker {worker.fate()} when it was started") from None
        if message[0] == "unloadable":
            raise CantLoadError(message[1])

    def fits(self, count: int) -> bool:
        """Whether it can serve another loop, with so many workers."""
        if self.busy or len(self._workers) != count or self._owner != os.getpid():
            return False
        return all(worker.is_alive() for worker in self._workers)

    def close(self) -> None:
        """Ends the workers."""
        self._end()

    def load(
        self, chunks: Sequence[Sequence[int]], most: int, seeds: Sequence[Any]
    ) -> Iterator[list[torch.Tensor]]:
        """Loads batches of at most `most` items, in order, each a new tensor for each field, on the CPU.

        Raises what reading an item raised, when it comes to that batch, and RuntimeError if a worker is gone. Either
        ends the workers.
        """
        self.busy = True
        loop = _Loop(self, chunks, most, seeds)
        try:
            yield from loop.batches()
        except GeneratorExit:
            self._stale.update(loop.slots)
            raise
        except BaseException:
            self.close()
            raise
        finally:
            self.busy = False

    def room(self, size: int) -> list[int]:
        """The starts of as many free slots of a size as the workers can have in hand."""
        while self._stale:  # a loop that was left early: its slots are still written to
            self.collect(self._stale)
        count = len(self._workers) * _AHEAD
        if self._memory.size < count * size:
            self._memory.resize(count * size)
        return [number * size for number in range(count)]

    def ask(self, start: int, most: int, indices: Sequence[int], seed: str) -> int:
        """Asks the worker with the least to do for a batch, and returns its ticket."""
        self._ticket += 1
        worker = min(self._workers, key=lambda w: w.waiting)
        try:
            worker.connection.send((self._ticket, self._memory.size, start, most, list(indices), seed))
        except OSError:
            self._lost(worker)
        worker.waiting += 1
        return self._ticket

    def collect(self, slots: dict[int, int]) -> list[tuple[int, Any]]:
        """Waits for messages: the tickets that are done, each with None or the error. They leave `slots`."""
        connections = {worker.connection: worker for worker in self._workers}
        done = []
        for ready in wait(list(connections)):
            worker = connections[ready]  # type: ignore[index]
            try:
                kind, ticket, *rest = worker.connection.recv()
            except (EOFError, OSError):
                self._lost(worker)
            worker.waiting -= 1
            if ticket in slots:
                del slots[ticket]
                done.append((ticket, rest if kind == "error" else None))
        return done

    def tensors(self, start: int, layout: Any, count: int) -> list[torch.Tensor]:
        """Copies a batch out of its slot, without torch's threads: the processors are the workers'."""
        slot = memoryview(self._memory.mapping)
        tensors = []
        for field, (place, (_, *sizes)) in zip(self._fields, layout, strict=True):
            shape = (count, *sizes)
            first = start + place
            copied = bytearray(slot[first : first + math.prod(shape) * field.dtype.itemsize])
            flat = (
                torch.frombuffer(copied, dtype=field.dtype) if copied else torch.empty(0, dtype=field.dtype)
            )
            tensors.append(flat.view(shape))
        return tensors

    def layout(self, most: int) -> Any:
        """Where a batch's fields are in a slot, and how large a slot is."""
        return slot_layout(self._fields, most)

    def _lost(self, worker: Process) -> NoReturn:
        fate = worker.fate()
        hint = ""
        if "SIGKILL" in fate:
            hint = ". If the system killed it for want of memory, use fewer workers: shapescript.loader_workers(n)"
        # How the end of the connection was noticed says nothing.
        raise RuntimeError(
            f"a loader worker (process {worker.pid}) {fate} while it was loading items{hint}"
        ) from None


class _Loop:
    """One loop's way through its batches."""

    def __init__(self, pool: Pool, chunks: Sequence[Sequence[int]], most: int, seeds: Sequence[Any]) -> None:
        self.pool = pool
        self.chunks = chunks
        self.most = most
        self.seed = "/".join(map(str, seeds))
        self.slots: dict[int, int] = {}  # tickets that are being worked on, and their slots
        self.done: dict[int, Any] = {}  # batches that are ready, by number: None or the error
        self.numbers: dict[int, int] = {}

    def batches(self) -> Iterator[list[torch.Tensor]]:
        layout, size = self.pool.layout(self.most)
        free = deque(self.pool.room(size))
        slot_of: dict[int, int] = {}
        asked = 0
        for number, chunk in enumerate(self.chunks):
            while free and asked < len(self.chunks):
                slot_of[asked] = free.popleft()
                self._ask(asked, slot_of[asked])
                asked += 1
            while number not in self.done:
                for ticket, error in self.pool.collect(self.slots):
                    self.done[self.numbers.pop(ticket)] = error
            error = self.done.pop(number)
            if error is not None:
                _raise(*error)
            start = slot_of.pop(number)
            tensors = self.pool.tensors(start, layout, len(chunk))
            free.append(start)
            if asked < len(self.chunks):
                # Before the batch is used, so that the workers aren't idle meanwhile.
                slot_of[asked] = free.popleft()
                self._ask(asked, slot_of[asked])
                asked += 1
            yield tensors

    def _ask(self, number: int, start: int) -> None:
        ticket = self.pool.ask(start, self.most, self.chunks[number], f"{self.seed}/{number}")
        self.slots[ticket] = start
        self.numbers[ticket] = number


def _end(workers: list[Process], memory: Memory, owner: int) -> None:
    # A process that was forked off has copies of all this, and none of it is its own.
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.end()
    workers.clear()
    memory.close()


def _raise(data: bytes | None, name: str, text: str) -> NoReturn:
    """Raises what a worker caught, as it was there."""
    if data is None:
        raise RuntimeError(f"a loader worker raised {name}\n\n{text}")
    error = pickle.loads(data)
    if not isinstance(error, (ShapeError, DomainError)):  # these say it all
        error.add_note(f"Raised in a loader worker:\n{text}")
    raise error
