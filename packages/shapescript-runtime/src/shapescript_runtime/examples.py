"""Examples of a dataset: read from it, held against the record's fields, and stacked to batches."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import torch

from .batches import Batch, DataField
from .errors import DomainError, ShapeError
from .kinds import kind_of


def read_batch(
    dataset: Any,
    indices: Sequence[int],
    fields: Sequence[DataField],
    out: Sequence[torch.Tensor] | None = None,
) -> list[torch.Tensor]:
    """Reads items of a dataset and stacks them, a tensor on the CPU for each field.

    Arguments:
        dataset: what has __getitem__, and perhaps __getitems__, which takes a list of indices and gives a list of
            items, or a dict of the fields with all of their values in one tensor or array each.
        indices: the items, in order.
        fields: the record's.
        out: tensors to write to.

    Raises:
        ShapeError: an item isn't of the record's fields, or a field has another shape or kind of number.
        DomainError: a value is outside its field's domain or dtype.
        And whatever the dataset raises.
    """
    many = getattr(dataset, "__getitems__", None)
    outs: Sequence[torch.Tensor | None] = [None] * len(fields) if out is None else out
    if callable(many):
        items = many(list(indices))
        if isinstance(items, Mapping):
            with torch.no_grad():
                columns = _values(items, fields, indices[0])
                return [_whole(f, c, indices, o) for f, c, o in zip(fields, columns, outs, strict=True)]
        if len(items) != len(indices):
            raise ShapeError(
                f"the dataset's __getitems__ returned {len(items)} items for {len(indices)} indices"
            )
    else:
        items = []
        for index in indices:
            try:
                items.append(dataset[index])
            except Exception as error:
                error.add_note(f"Raised by item {index} of the dataset.")
                raise
    rows: Any = items
    if len(fields) == 1 or any(type(item) is not tuple or len(item) != len(fields) for item in items):
        rows = [_values(item, fields, index) for item, index in zip(items, indices, strict=True)]
    with torch.no_grad():
        return [
            _stacked(f, c, indices, o) for f, c, o in zip(fields, zip(*rows, strict=True), outs, strict=True)
        ]


def converted(field: DataField, values: torch.Tensor, indices: Sequence[int]) -> torch.Tensor:
    """Returns stacked values in the field's dtype, after checking that they are of its kind, fit it, and are in its
    domain.

    Raises as `read_batch` does, for the first item that doesn't fit.
    """
    if values.dtype != field.dtype:
        _require_kind(field, values, indices)
        _require_range(field, values, indices)
        values = values.to(field.dtype)
    _require_domain(field, values, indices)
    return values


def _values(item: Any, fields: Sequence[DataField], index: int) -> Sequence[Any]:
    """What an item has for each field."""
    if isinstance(item, Batch):
        item = item.__dict__
    if isinstance(item, Mapping):
        missing = [field for field in fields if field.name not in item]
        if missing:
            names = ", ".join(map(str, item)) or "nothing"
            _refuse(missing[0], index, f"no `{missing[0].name}`: the item has {names}")
        return [item[field.name] for field in fields]
    if isinstance(item, (tuple, list)):
        if len(item) == len(fields):
            # One number in a list is an example of a field of shape [1] too.
            return [item] if len(fields) == 1 and _is_example(item, fields[0]) else item
        if len(fields) != 1:
            names = ", ".join(field.name for field in fields)
            _refuse(fields[0], index, f"{len(item)} values in the item, not {len(fields)}, for {names}")
    if len(fields) != 1:
        names = ", ".join(field.name for field in fields)
        _refuse(fields[0], index, f"{kind_of(item)} as the item, not a dict or a tuple with {names}")
    return [item]


def _whole(field: DataField, values: Any, indices: Sequence[int], out: torch.Tensor | None) -> torch.Tensor:
    """A field's values of a whole batch, which the dataset has stacked itself."""
    stacked = _tensor(field, values, indices[0]).cpu()
    count = len(stacked) if stacked.dim() else 1
    if stacked.dim() == 0 or count != len(indices):
        raise ShapeError(
            f"the dataset's __getitems__ returned {count} values of `{field.name}` for {len(indices)} indices",
            location=field.where,
            argument=field.name,
        )
    if stacked.shape[1:] != field.shape:
        _refuse_shape(field, indices[0], tuple(stacked.shape[1:]))
    _require_kind(field, stacked, indices)
    found = converted(field, stacked, indices)
    if out is not None:
        return out.copy_(found)
    return found.clone() if found is stacked else found  # which may be the dataset's own


def _is_example(item: Sequence[Any], field: DataField) -> bool:
    return tuple(field.shape) == (1,) and isinstance(item[0], (bool, int, float))


def _stacked(
    field: DataField, column: Sequence[Any], indices: Sequence[int], out: torch.Tensor | None
) -> torch.Tensor:
    """A field's values in one tensor, which is `out` if that is given."""
    kinds = set(map(type, column))
    stacked = _stacked_as_they_are(field, column, out) if kinds == {torch.Tensor} else None
    if stacked is not None:
        _require_domain(field, stacked, indices)
        return stacked
    stacked = _made_at_once(field, column) if len(kinds) == 1 else None
    if stacked is None:
        tensors = [_tensor(field, value, index) for value, index in zip(column, indices, strict=True)]
        for tensor, index in zip(tensors, indices, strict=True):
            if tensor.shape != field.shape:
                _refuse_shape(field, index, tuple(tensor.shape))
            _require_kind(field, tensor[None], [index])
        stacked = torch.stack(tensors).cpu()
    elif stacked.shape[1:] != field.shape:
        _refuse_shape(field, indices[0], tuple(stacked.shape[1:]))
    found = converted(field, stacked, indices)
    return found if out is None else out.copy_(found)


def _stacked_as_they_are(
    field: DataField, column: Sequence[torch.Tensor], out: torch.Tensor | None
) -> torch.Tensor | None:
    """The same for tensors of the field's shape and dtype on the CPU, as most are; None for any others."""
    dtype = field.dtype
    if any(tensor.dtype is not dtype for tensor in column) or column[0].shape != field.shape:
        return None
    try:
        return torch.stack(column, out=out)  # type: ignore[arg-type]
    except RuntimeError:
        return None  # one has another shape, or isn't on the CPU: looked at one by one


def _made_at_once(field: DataField, column: Sequence[Any]) -> torch.Tensor | None:
    """A tensor of numbers, lists of numbers or arrays, all of one shape; None for any others."""
    first = column[0]
    if isinstance(first, (bool, int, float, list)):
        try:
            return torch.tensor(column, dtype=_dtype_of_numbers(field))
        except (TypeError, ValueError, RuntimeError, OverflowError):
            return None
    if _is_array(first) and len({(array.shape, array.dtype) for array in column}) == 1:
        import numpy

        with contextlib.suppress(TypeError):  # text, or a kind of number that torch doesn't have
            return torch.from_numpy(numpy.stack(column))
    return None


def _dtype_of_numbers(field: DataField) -> torch.dtype | None:
    """What Python's numbers are made tensors of, before they are converted: never less exact than they are."""
    return torch.float64 if field.dtype.is_floating_point else None


def _tensor(field: DataField, value: Any, index: int) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value.detach().as_subclass(torch.Tensor)
    if _is_array(value) and not value.flags.writeable:
        value = value.copy()  # torch warns that it would share what can't be written
    numbers = isinstance(value, (bool, int, float, list, tuple))
    try:
        return torch.as_tensor(value, dtype=_dtype_of_numbers(field) if numbers else None)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        _refuse(field, index, f"{kind_of(value)}, which torch.as_tensor doesn't take")


def _is_array(value: Any) -> bool:
    """Whether it's a NumPy array, without loading NumPy to find out."""
    kind = type(value)
    return kind.__name__ == "ndarray" and kind.__module__ == "numpy"


def _require_kind(field: DataField, values: torch.Tensor, indices: Sequence[int]) -> None:
    """Refuses numbers of another kind: floats where integers are meant, and anything but bools for bools."""
    wanted, found = field.dtype, values.dtype
    if wanted.is_floating_point:
        fits = not found.is_complex
        kind = "real numbers"
    elif wanted == torch.bool:
        fits = found == torch.bool
        kind = "bools"
    else:
        fits = not found.is_floating_point and not found.is_complex
        kind = "integers"
    if not fits:
        _refuse(field, indices[0], f"{str(found).removeprefix('torch.')}", f", of {kind}")


def _require_range(field: DataField, values: torch.Tensor, indices: Sequence[int]) -> None:
    """Refuses integers that a narrower dtype would wrap around."""
    wanted, found = field.dtype, values.dtype
    if wanted.is_floating_point or torch.bool in (wanted, found) or values.numel() == 0:
        return
    info = torch.iinfo(wanted)
    if info.min <= torch.iinfo(found).min and torch.iinfo(found).max <= info.max:
        return
    outside = (values < info.min) | (values > info.max)
    if outside.any():
        row = int(outside.reshape(len(values), -1).any(1).to(torch.uint8).argmax())
        value = values[row][outside[row]].reshape(-1)[0].item()
        name = str(wanted).removeprefix("torch.")
        _refuse(field, indices[row], f"{value}, outside {name}'s {info.min} to {info.max}", kind=DomainError)


def _require_domain(field: DataField, values: torch.Tensor, indices: Sequence[int]) -> None:
    if field.domain is None or values.numel() == 0:
        return
    check, *arguments = field.domain
    try:
        check(values, *arguments, field.text, field.where)
    except DomainError:
        for value, index in zip(values, indices, strict=True):
            try:
                check(value, *arguments, field.text, field.where)
            except DomainError as error:
                problem = error.message.partition("; ")[2]
                raise DomainError(
                    f"field `{field.name}` of item {index} should be {field.text}; {problem}",
                    location=field.where,
                    argument=field.name,
                    expected=field.text,
                    got=problem,
                ) from None
        raise


def _refuse_shape(field: DataField, index: int, shape: tuple[int, ...]) -> NoReturn:
    _refuse(field, index, f"shape {shape}")


def _refuse(
    field: DataField, index: int, what: str, of: str = "", kind: type[ShapeError | DomainError] = ShapeError
) -> NoReturn:
    expected = f"{field.text} = {tuple(field.shape)}{of}"
    raise kind(
        f"field `{field.name}` of item {index} should be {expected}, got {what}",
        location=field.where,
        argument=field.name,
        expected=expected,
        got=what,
    )
