"""A dataset on its way to worker processes: pickled once, its arrays and tensors in memory that all of them share."""

from __future__ import annotations

import io
import pickle
import types
from typing import Any

import torch

from .memory import Memory

_ALIGNMENT = 64


class CantLoadError(Exception):
    """Workers can't have a dataset. The text says why."""


class _OfMainError(Exception):
    """Something that only the program's main module has."""


class _Pickler(pickle.Pickler):
    """Refuses what the main module defines, which workers don't import, and puts tensors beside the pickle."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, (type, types.FunctionType)):
            if obj.__module__ == "__main__":
                raise _OfMainError(obj.__qualname__)
        elif type(obj) is torch.Tensor and _is_plain(obj):
            data = obj.contiguous()
            flat: Any = data.reshape(-1).view(torch.uint8).numpy()
            return _tensor, (pickle.PickleBuffer(flat), data.dtype, tuple(data.shape))
        return NotImplemented


def _is_plain(tensor: torch.Tensor) -> bool:
    return (
        tensor.is_cpu
        and tensor.layout == torch.strided
        and tensor.numel() > 0
        and not (tensor.requires_grad or tensor.is_quantized or tensor.is_conj() or tensor.is_neg())
    )


def _tensor(data: Any, dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    return torch.frombuffer(data, dtype=dtype).view(shape)


class Payload:
    """What the workers are started with, in shared memory.

    Attributes:
        memory: the memory.
        extents: the place and size of the pickle, and then of each of its buffers.
    """

    def __init__(self, value: Any) -> None:
        """Raises CantLoadError if it can't be pickled, or refers to what the main module defines."""
        buffers: list[pickle.PickleBuffer] = []
        stream = io.BytesIO()
        try:
            _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
        except _OfMainError as error:
            raise CantLoadError(
                f"it refers to `{error}` of the main script, which workers don't import; "
                f"move `{error}` to a module of its own"
            ) from None
        except Exception as error:
            # Whatever a __reduce__ may raise: the dataset still works in this process.
            raise CantLoadError(f"it can't be pickled: {type(error).__name__}: {error}") from error
        parts = [stream.getbuffer(), *(buffer.raw() for buffer in buffers)]
        self.extents: list[tuple[int, int]] = []
        end = 0
        for part in parts:
            self.extents.append((end, part.nbytes))
            end += -(-part.nbytes // _ALIGNMENT) * _ALIGNMENT
        self.memory = Memory()
        self.memory.resize(end)
        with memoryview(self.memory.mapping) as whole:
            for (start, size), part in zip(self.extents, parts, strict=True):
                whole[start : start + size] = part.cast("B") if part.nbytes else part


def unpacked(handle: int | str, extents: list[tuple[int, int]]) -> Any:
    """What was put into a payload, in a worker. Arrays are the shared memory until they are written to."""
    end = max(start + size for start, size in extents)
    whole = memoryview(Memory(handle).open(end, private=True))
    pickled, *buffers = [whole[start : start + size] for start, size in extents]
    return pickle.loads(pickled, buffers=buffers)
