"""Memory that a process shares with the workers it starts: no name, and no owner but the processes that hold it."""

from __future__ import annotations

import mmap
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence

import torch

from shapescript_runtime.batches import DataField

_ALIGNMENT = 64

WINDOWS = sys.platform == "win32"


class Memory:
    """Shared memory that can grow.

    Arguments:
        handle: what another process says it as; None makes new memory.

    Attributes:
        handle: on Windows the name of a mapping, and elsewhere the number of a file that has no name.
    """

    def __init__(self, handle: int | str | None = None) -> None:
        self.handle: int | str = _new() if handle is None else handle
        self._mapping: mmap.mmap | None = None
        self._size = 0

    def resize(self, size: int) -> None:
        """Makes it larger, for the process that made it. The others `open` it with the size."""
        if not WINDOWS:
            os.ftruncate(int(self.handle), size)
        self.open(size)

    def open(self, size: int, private: bool = False) -> mmap.mmap:
        """Maps so many bytes of it. What is written to a private mapping stays in this process."""
        size = max(size, 1)
        access = mmap.ACCESS_COPY if private else mmap.ACCESS_WRITE
        if isinstance(self.handle, str):
            self._mapping = mmap.mmap(-1, size, tagname=self.handle, access=access)  # type: ignore[call-arg]
        else:
            self._mapping = mmap.mmap(self.handle, size, access=access)
        self._size = size
        return self._mapping

    @property
    def mapping(self) -> mmap.mmap:
        """The mapping that `open` or `resize` made last."""
        assert self._mapping is not None
        return self._mapping

    @property
    def size(self) -> int:
        """How many bytes are mapped."""
        return self._size

    def close(self) -> None:
        """Gives the memory back, once no tensor is in it anymore."""
        self._mapping = None
        if isinstance(self.handle, int) and self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def _new() -> int | str:
    if WINDOWS:
        return f"shapescript-{secrets.token_hex(16)}"
    if hasattr(os, "memfd_create"):
        return os.memfd_create("shapescript", os.MFD_CLOEXEC)
    number, path = tempfile.mkstemp(prefix="shapescript-")
    os.unlink(path)
    return number


def slot_layout(fields: Sequence[DataField], count: int) -> tuple[list[tuple[int, tuple[int, ...]]], int]:
    """Where the fields of a batch of at most `count` examples are in a slot, with their shapes, and its size."""
    places = []
    end = 0
    for field in fields:
        shape = (count, *field.shape)
        places.append((end, shape))
        size = field.dtype.itemsize
        for axis in shape:
            size *= axis
        end += -(-size // _ALIGNMENT) * _ALIGNMENT
    return places, end


def slot_tensors(
    mapping: mmap.mmap,
    start: int,
    fields: Sequence[DataField],
    layout: list[tuple[int, tuple[int, ...]]],
    count: int,
) -> list[torch.Tensor]:
    """The tensors of a slot that holds `count` examples. They are the memory itself."""
    tensors = []
    for field, (place, shape) in zip(fields, layout, strict=True):
        shape = (count, *shape[1:])
        size = 1
        for axis in shape:
            size *= axis
        if size == 0:
            tensors.append(torch.empty(shape, dtype=field.dtype))
            continue
        flat = torch.frombuffer(mapping, dtype=field.dtype, count=size, offset=start + place)
        tensors.append(flat.view(shape))
    return tensors
