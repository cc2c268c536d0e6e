"""TensorDatasets kept on the device, from which batches are gathered by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch.utils.data import Subset, TensorDataset

from .batches import DataField
from .errors import DomainError, ShapeError
from .examples import converted

# How many bytes are compared with a copy at a time.
_AT_ONCE = 2**24

_INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class Resident(NamedTuple):
    """A dataset's tensors on the device, one for each field, and which of their rows its items are: all, if None."""

    tensors: list[torch.Tensor]
    rows: torch.Tensor | None

    def gather(self, order: torch.Tensor | None, start: int, stop: int) -> list[torch.Tensor]:
        """The items of a batch, as new tensors. `order` is on the device, and says which items come when."""
        if order is None:
            return [tensor[start:stop].clone() for tensor in self.tensors]
        rows = order[start:stop]
        return [tensor.index_select(0, rows) for tensor in self.tensors]


class _Kept(NamedTuple):
    """What was made of a dataset's tensors, and what these were then."""

    of: tuple[Any, ...]
    tensors: list[torch.Tensor] | None


# By dataset, for as long as there is one: then by the record's fields and the device.
_kept: WeakKeyDictionary[TensorDataset, dict[Any, _Kept]] = WeakKeyDictionary()


def resident(
    dataset: Any, fields: Sequence[DataField], device: torch.device, compare: bool = False
) -> Resident | None:
    """Returns a dataset's tensors on the device, checked as a whole, or None for one that has to be loaded.

    That is a TensorDataset, or a Subset of one (of which random_split makes several), with a tensor for each field,
    whose items are the rows. It is checked and copied again only if its tensors have changed.

    Arguments:
        compare: whether to look for changes that torch doesn't count, such as those of a NumPy array that shares a
            tensor's memory.
    """
    rows: torch.Tensor | None = None
    while type(dataset) is Subset:
        chosen = torch.as_tensor(dataset.indices, dtype=torch.int64)
        rows = chosen if rows is None else chosen[rows]
        dataset = dataset.dataset
    if not _is_plain(dataset) or len(dataset.tensors) != len(fields):
        return None
    key = (tuple(fields), device)
    found = _kept.setdefault(dataset, {})
    state = _state(dataset)
    if key not in found or found[key].of != state or (compare and _has_changed(found[key], dataset)):
        found[key] = _Kept(state, _copied(dataset, fields, device))
    tensors = found[key].tensors
    if tensors is None:
        return None
    if rows is not None:
        count = len(tensors[0])
        if rows.numel() and not (-count <= int(rows.min()) and int(rows.max()) < count):
            return None  # the error of an item that isn't there is the dataset's to raise
        rows = torch.where(rows < 0, rows + count, rows).to(device)
    return Resident(tensors, rows)


def _is_plain(dataset: Any) -> bool:
    """Whether item i is row i of each tensor, and nothing else happens when it is read."""
    kind = type(dataset)
    return (
        isinstance(dataset, TensorDataset)
        and kind.__getitem__ is TensorDataset.__getitem__
        and kind.__len__ is TensorDataset.__len__
        and not hasattr(dataset, "__getitems__")
    )


def _state(dataset: TensorDataset) -> tuple[Any, ...]:
    """What differs once a tensor has been changed in place, or replaced."""
    return tuple(
        (id(t), None if t.is_inference() else t._version, t.data_ptr(), tuple(t.shape), t.dtype)
        for t in dataset.tensors
    )


def _has_changed(kept: _Kept, dataset: TensorDataset) -> bool:
    """Whether copies differ from what they were made of."""
    for copy, tensor in zip(kept.tensors or (), dataset.tensors, strict=False):
        if copy.data_ptr() == tensor.data_ptr() and copy.device == tensor.device:
            continue
        step = max(1, _AT_ONCE * len(copy) // max(1, copy.nbytes))
        for start in range(0, len(copy), step):
            new = tensor.detach()[start : start + step].to(copy.device, copy.dtype)
            if not torch.equal(_bits(copy[start : start + step]), _bits(new)):
                return True
    return False


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as integers, since a NaN doesn't equal itself."""
    return tensor.view(_INTEGERS[tensor.element_size()])


def _copied(
    dataset: TensorDataset, fields: Sequence[DataField], device: torch.device
) -> list[torch.Tensor] | None:
    if not _has_room(dataset, fields, device):
        return None
    tensors = []
    for field, tensor in zip(fields, dataset.tensors, strict=True):
        if tuple(tensor.shape[1:]) != tuple(field.shape) or tensor.layout != torch.strided:
            return None
        try:
            fitting = converted(field, tensor.detach(), range(len(tensor)))
        except (ShapeError, DomainError):
            return None  # the loader says which item it is, when it comes to it
        tensors.append(fitting.to(device).contiguous())
    return tensors


def _has_room(dataset: TensorDataset, fields: Sequence[DataField], device: torch.device) -> bool:
    """Whether the tensors take at most a quarter of a GPU's free memory."""
    if device.type == "cpu":
        return True
    size = sum(t.numel() * f.dtype.itemsize for t, f in zip(dataset.tensors, fields, strict=True))
    if device.type == "cuda":
        free = torch.cuda.mem_get_info(device)[0]
    else:
        free = torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    return size * 4 <= free
