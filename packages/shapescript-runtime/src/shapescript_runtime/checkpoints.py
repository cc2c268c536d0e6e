"""Checkpoints: models, optimizer state and host scalars in a file, and out of it again."""

from __future__ import annotations

import errno
import os
from typing import Any, NoReturn

import torch

from .checkpoint_entries import (
    differences,
    entry_of,
    entry_text,
    is_loadable,
    is_whole,
    made,
    type_text,
)
from .declared import device
from .errors import ShapeError
from .kinds import kind_of
from .replacing import replace_file

_FORMAT = "shapescript.checkpoint"
_VERSION = 1
_ZIP = b"PK\x03\x04"


def save(path: str | os.PathLike[str], *values: Any, where: str | None = None) -> None:
    """Writes values to a file, replacing it. If that is interrupted, the file is what it was.

    Arguments:
        path: the file.
        values: models, optimizer state, and int, float and bool values.
        where: "file.ss:line:col" of the call.

    Raises:
        TypeError: the path isn't one, there are no values, or a checkpoint can't hold one of them.
        OSError: the file can't be written.
    """
    text = _path(path, "save")
    if not values:
        raise TypeError("save takes at least one value after the path")
    entries = [entry_of(value, values, number, where) for number, value in enumerate(values, 1)]
    content = {"format": _FORMAT, "version": _VERSION, "values": entries}
    replace_file(text, lambda file: torch.save(content, file))


def load(path: str | os.PathLike[str], *types: Any, where: str | None = None) -> Any:
    """Reads values from a file that `save` wrote, onto the declared device. Nothing in the file is run.

    Arguments:
        path: the file.
        types: what the values are: models' classes, AdamW[Model], SGD[Model], int, float and bool.
        where: "file.ss:line:col" of the call.

    Returns the value, or a tuple of several.

    Raises:
        TypeError: the path or a type isn't one.
        OSError: the file can't be read.
        ShapeError: `save` didn't write it, or its values are of other types. It lists every difference.
    """
    text = _path(path, "load")
    if not types:
        raise TypeError("load takes at least one type after the path")
    for number, kind in enumerate(types, 1):
        if not is_loadable(kind):
            raise TypeError(
                f"type {number} of load is {kind_of(kind)}: it takes models' classes, AdamW[Model], SGD[Model], int, "
                "float and bool"
            )
    entries = _entries(text, where)
    _require_types(text, entries, types, where)
    values: list[Any] = [None] * len(types)
    try:
        # Models first: state is bound to the one that it was saved with.
        for number in sorted(range(len(types)), key=lambda n: entries[n]["kind"] == "optimizer"):
            values[number] = made(entries[number], types[number], values)
    except ValueError as error:
        _refuse(text, f"its optimizer state is damaged: {error}", where)
    return values[0] if len(values) == 1 else tuple(values)


def _path(path: Any, function: str) -> str:
    try:
        return os.fsdecode(os.fspath(path))
    except TypeError:
        raise TypeError(f"{function} takes the path of a file first, not {kind_of(path)}") from None


def _entries(path: str, where: str | None) -> list[dict[str, Any]]:
    """What a file holds, its form checked to the last key."""
    with open(path, "rb") as file:
        # torch has other readers for other beginnings, and none of those files is ours.
        if file.read(len(_ZIP)) != _ZIP:
            _refuse(path, "it isn't one of torch's files, or is only a part of one", where)
        file.seek(0)
        try:
            # A file rather than a path, and no mapping: torch would choose a reader by the path's ending, or by its own
            # settings.
            content = torch.load(file, map_location=device(), weights_only=True, mmap=False)
        except Exception as error:
            # What torch raises for a damaged file is whatever its readers ran into, such as a place before its start.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            _refuse(path, _reason(error), where, error)
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        _refuse(path, "it holds something else", where)
    if content.get("version") != _VERSION:
        version = content.get("version")
        _refuse(path, f"it is of version {version!r}, and this reads version {_VERSION}", where)
    entries = content.get("values")
    if not isinstance(entries, list):
        _refuse(path, "it is damaged", where)
    for number, entry in enumerate(entries, 1):
        if not is_whole(entry, entries):
            _refuse(path, f"its value {number} is damaged", where)
    return entries


def _reason(error: Exception) -> str:
    text = str(error)
    if "Unsupported global" in text or "was not an allowed global" in text or "weights_only" in text:
        return "it has Python objects in it, which could run code, and nothing of it was loaded"
    return f"it is damaged, or only a part of one ({text.splitlines()[0] if text else type(error).__name__})"


def _require_types(
    path: str, entries: list[dict[str, Any]], types: tuple[Any, ...], where: str | None
) -> None:
    name = os.path.basename(path)
    if len(entries) != len(types):
        saved, given = ", ".join(map(entry_text, entries)), ", ".join(map(type_text, types))
        raise ShapeError(
            f"`{path}` holds {_count(len(entries), 'value')} ({saved}), but `load` was given "
            f"{_count(len(types), 'type')} ({given})",
            location=where,
            expected=given,
            got=saved,
        )
    lines = [
        f"  value {number}, `{type_text(kind)}`: {problem}"
        for number, (entry, kind) in enumerate(zip(entries, types, strict=True), 1)
        for problem in differences(entry, kind)
    ]
    if lines:
        raise ShapeError(
            "\n".join([f"`{path}` doesn't match the types it's loaded as:", *lines]),
            location=where,
            expected=", ".join(map(type_text, types)),
            got=name,
        )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _refuse(path: str, reason: str, where: str | None, cause: Exception | None = None) -> NoReturn:
    raise ShapeError(f"`{path}` isn't a checkpoint that `save` wrote: {reason}", location=where) from cause
