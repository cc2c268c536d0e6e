"""Data records: one example, or a batch of them, as a value whose fields are tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import torch

from .errors import ShapeError
from .kinds import kind_of, refuse_kind, sentence


class DataField(NamedTuple):
    """A field of a data record.

    Arguments:
        name: its name.
        shape: that of one example.
        dtype: the dtype that examples are converted to.
        text: the type as written, such as "[D]".
        where: "file.ss:line:col" of the field.
        domain: the check of its domain and the check's arguments between the value and the text, as in
            (check_index, 10); or None where there is nothing to check.
    """

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    text: str
    where: str
    domain: tuple[Any, ...] | None = None


class Batch:
    """What a `data` record compiles to: a class of its own, with its fields in `_ss_fields`.

    An instance is a batch, every field with the batch's axes first, or one example. Its fields are attributes, and
    whatever isn't a field starts with an underscore.
    """

    __slots__ = ("__dict__", "__weakref__", "_ss_fitting")

    _ss_fields: ClassVar[tuple[DataField, ...]] = ()

    _ss_fitting: tuple[torch.Tensor, ...]  # what was held against the domains, or nothing

    def __init__(self, **fields: torch.Tensor) -> None:
        names = [field.name for field in self._ss_fields]
        if fields.keys() != set(names):
            raise TypeError(
                f"{type(self).__name__} is made of {', '.join(names)}, not {', '.join(fields) or 'nothing'}"
            )
        self.__dict__.update({name: fields[name] for name in names})
        self._ss_fitting = ()

    @classmethod
    def _ss_made(cls, tensors: dict[str, torch.Tensor], checked: bool) -> Self:
        """A batch of tensors that are its fields, and whether their values were held against the domains."""
        batch = cls.__new__(cls)
        batch.__dict__ = tensors
        batch._ss_fitting = tuple(tensors.values()) if checked else ()
        return batch

    @property
    def _ss_checked(self) -> bool:
        """Whether its tensors were held against the domains, and are still the same ones."""
        held = self._ss_fitting
        return bool(held) and all(a is b for a, b in zip(held, self.__dict__.values(), strict=False))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={_shape(value)}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


def as_batch(
    value: Any, record: type[Batch], where: str, argument: str | None = None, function: str | None = None
) -> Batch:
    """Returns a batch of a record as it is, and a dict with the record's fields as a batch. Its tensors are checked by
    whoever knows what shapes they should have.

    Raises:
        KindError: it is something else, or a batch of another record.
        ShapeError: the dict lacks a field.
    """
    if type(value) is record:
        return value
    name = record.__name__
    expected = f"a batch of `{name}`"
    if isinstance(value, Batch):
        if not same_record(type(value), record):
            refuse_kind(f"one of `{type(value).__name__}`", expected, where, argument, function)
        fields: Mapping[str, Any] = value.__dict__
    elif isinstance(value, Mapping):
        fields = value
    else:
        refuse_kind(kind_of(value), f"{expected}, or a dict of its fields", where, argument, function)
    missing = [field.name for field in record._ss_fields if field.name not in fields]
    if missing:
        raise ShapeError(
            f"{sentence(expected, argument, function)}, got a dict without `{missing[0]}`",
            location=where,
            argument=argument,
            expected=expected,
            got=f"a dict without `{missing[0]}`",
        )
    return record._ss_made({field.name: fields[field.name] for field in record._ss_fields}, False)


def same_record(record: type[Batch], other: type[Batch]) -> bool:
    """Whether two classes are the same record, as when a module was loaded twice."""
    if record is other:
        return True
    return record.__name__ == other.__name__ and _declared(record) == _declared(other)


def _shape(value: Any) -> str:
    return str(list(value.shape)) if isinstance(value, torch.Tensor) else kind_of(value)


def _declared(record: type[Batch]) -> list[tuple[Any, ...]]:
    return [(field.name, tuple(field.shape), field.dtype) for field in record._ss_fields]
