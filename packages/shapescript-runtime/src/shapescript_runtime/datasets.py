"""Datasets as programs see them: examples of a record, shuffled and taken in batches."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

import torch
from torch.utils.data import DataLoader, IterableDataset

from .batches import Batch, same_record
from .declared import device
from .examples import read_batch
from .kinds import kind_of, refuse_kind
from .progress import followed
from .resident import Resident, resident
from .seeds import seeded, whole_seed
from .workers import worker_count


class _Source:
    """What a dataset parameter was given, and the workers that load it, which all loops over it share."""

    def __init__(self, items: Any, record: type[Batch], name: str) -> None:
        self.items = items
        self.record = record
        self.name = name
        self.loops = 0
        self._pool: Any = None
        self._unloadable = False

    def pool(self) -> Any:
        """Worker processes that are ready for a loop, or None to load in this process."""
        count = worker_count()
        # A module built with --standalone has this code inside it, and nothing that a worker could import.
        if count == 0 or self._unloadable or __name__ != "shapescript_runtime.datasets":
            return None
        if self._pool is not None and not self._pool.fits(count):
            if self._pool.busy:
                return None  # a loop inside a loop over the same dataset
            self._pool.close()
            self._pool = None
        if self._pool is None:
            pools = import_module("shapescript_runtime.loading.pool")
            try:
                self._pool = pools.Pool(self.items, self.record._ss_fields, count)
            except pools.CantLoadError as error:
                self._unloadable = True
                warnings.warn(
                    f"{self.name} is loaded in the calling process, not by worker processes: {error}",
                    RuntimeWarning,
                    stacklevel=3,
                )
        return self._pool


class MapStyleDataset(Protocol):
    """What a dataset parameter takes from Python, such as a list or a torch.utils.data.TensorDataset."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...


class Dataset:
    """Examples of a data record, in an order. `len` of it is how many there are."""

    __slots__ = ("_ss_seeds", "_ss_source")

    def __init__(self, source: _Source, seeds: tuple[int, ...] = ()) -> None:
        self._ss_source = source
        self._ss_seeds = seeds

    @property
    def _ss_record(self) -> type[Batch]:
        return self._ss_source.record

    def __len__(self) -> int:
        return len(self._ss_source.items)

    def _ss_order(self) -> torch.Tensor | None:
        """Which item comes when, or None for the order that they are in."""
        order: torch.Tensor | None = None
        for seed in self._ss_seeds:
            mixed = torch.randperm(len(self), generator=seeded(seed, "shuffle"), device="cpu")
            order = mixed if order is None else order[mixed]
        return order

    def __repr__(self) -> str:
        shuffled = "".join(f" |> shuffle(seed={seed})" for seed in self._ss_seeds)
        return f"Dataset[{self._ss_source.record.__name__}] of {len(self)} examples{shuffled}"


class Batches:
    """A dataset's batches of `size` examples, the last one shorter, loaded anew for each loop."""

    __slots__ = ("_ss_dataset", "_ss_size", "_ss_where")

    def __init__(self, dataset: Dataset, size: int, where: str) -> None:
        self._ss_dataset = dataset
        self._ss_size = size
        self._ss_where = where

    @property
    def _ss_record(self) -> type[Batch]:
        return self._ss_dataset._ss_record

    def __len__(self) -> int:
        return -(-len(self._ss_dataset) // self._ss_size)

    def __iter__(self) -> Iterator[Batch]:
        return followed(_loaded(self._ss_dataset, self._ss_size), len(self), self._ss_where)

    def __repr__(self) -> str:
        return f"{self._ss_dataset!r} |> batches({self._ss_size})"


def as_dataset(
    value: Any, record: type[Batch], where: str, argument: str | None = None, function: str | None = None
) -> Dataset:
    """Returns what a dataset parameter is given as a dataset of a record: anything with __len__ and __getitem__.

    Its items are checked when they are loaded.

    Raises KindError for anything else, a dataset of another record included.
    """
    expected = f"a dataset of `{record.__name__}`"
    if isinstance(value, Dataset):
        given = value._ss_source.record
        if not same_record(given, record):
            refuse_kind(f"one of `{given.__name__}`", expected, where, argument, function)
        return value
    kind = type(value)
    map_style = hasattr(kind, "__len__") and hasattr(kind, "__getitem__")
    if not map_style or isinstance(value, (str, bytes, IterableDataset)):
        wanted = f"{expected}, an object with __len__ and __getitem__"
        refuse_kind(kind_of(value) + _advice(value), wanted, where, argument, function)
    name = f"the dataset of `{record.__name__}`" if argument is None else f"the dataset `{argument}`"
    return Dataset(_Source(value, record, name))


def _advice(value: Any) -> str:
    if isinstance(value, DataLoader):
        return ": pass the dataset itself, which the program shuffles and takes in batches"
    return ", whose examples have no numbers to be read by" if isinstance(value, IterableDataset) else ""


def shuffled(dataset: Any, seed: Any) -> Dataset:
    """Returns a dataset in another order, which its length and the seed decide, and nothing else.

    Raises:
        KindError: it isn't a dataset.
        TypeError: the seed isn't an int.
    """
    if not isinstance(dataset, Dataset):
        refuse_kind(kind_of(dataset), "a dataset", None, "dataset", "shuffle")
    return Dataset(dataset._ss_source, (*dataset._ss_seeds, whole_seed(seed, "shuffle")))


def batched(dataset: Any, size: Any, where: str = "") -> Batches:
    """Returns a dataset's batches of a size.

    Arguments:
        where: "file.ss:line:col" of the loop, for the display of its progress.

    Raises:
        KindError: it isn't a dataset.
        TypeError: the size isn't an int.
        ValueError: it is less than 1.
    """
    if not isinstance(dataset, Dataset):
        refuse_kind(kind_of(dataset), "a dataset", None, "dataset", "batches")
    try:
        count = operator.index(size)
    except TypeError:
        raise TypeError(f"batches takes an int, not {kind_of(size)}") from None
    if count < 1:
        raise ValueError(f"a batch has at least 1 example, not {count}")
    return Batches(dataset, count, where)


def _loaded(dataset: Dataset, size: int) -> Iterator[Batch]:
    """The batches of one loop, on the declared device."""
    source = dataset._ss_source
    place = device()
    source.loops += 1
    kept = resident(source.items, source.record._ss_fields, place, source.loops == 1)
    order = dataset._ss_order()
    if kept is not None:
        yield from _gathered(source.record, kept, order, len(dataset), size, place)
        return
    pool = source.pool()
    count = len(dataset)
    indices = range(count) if order is None else order.tolist()
    chunks = [indices[start : start + size] for start in range(0, count, size)]
    if pool is None:
        yield from _read(source, chunks, place)
        return
    # Augmentations draw from the seed of the order, or without one, from another in each loop.
    seeds = dataset._ss_seeds or ("loop", source.loops)
    for tensors in pool.load(chunks, size, seeds):
        yield _on_device(source.record, tensors, place)


def _gathered(
    record: type[Batch],
    kept: Resident,
    order: torch.Tensor | None,
    count: int,
    size: int,
    place: torch.device,
) -> Iterator[Batch]:
    names = [field.name for field in record._ss_fields]
    if order is not None:
        order = order.to(place)
    if kept.rows is not None:
        order = kept.rows if order is None else kept.rows[order]
    for start in range(0, count, size):
        tensors = kept.gather(order, start, min(start + size, count))
        yield record._ss_made(dict(zip(names, tensors, strict=True)), True)


def _read(source: _Source, chunks: Sequence[Sequence[int]], place: torch.device) -> Iterator[Batch]:
    for chunk in chunks:
        yield _on_device(source.record, read_batch(source.items, chunk, source.record._ss_fields), place)


def _on_device(record: type[Batch], tensors: Sequence[torch.Tensor], place: torch.device) -> Batch:
    moved = (tensor.to(place) for tensor in tensors)
    return record._ss_made(
        {field.name: tensor for field, tensor in zip(record._ss_fields, moved, strict=True)}, True
    )
