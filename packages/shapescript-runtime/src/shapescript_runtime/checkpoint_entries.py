"""The values of a checkpoint: how each is written, how it is held against a type, and how it is made again."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import torch

from .declared import device
from .errors import KindError
from .kinds import kind_of
from .models import Model
from .optimizers import SGD, AdamW, Optimizer, StateType
from .schedules import undescribed

_SCALARS = {"bool": bool, "int": int, "float": float}
_OPTIMIZERS: dict[str, type[Optimizer]] = {"adamw": AdamW, "sgd": SGD}

Loadable = type[Model] | StateType | type


def entry_of(value: Any, values: Sequence[Any], number: int, where: str | None) -> dict[str, Any]:
    """What is written for a value, the `number`th of all, counted from 1.

    Raises KindError, which is a TypeError, for a value that a checkpoint can't hold.
    """
    if isinstance(value, Model):
        tensors = {field.name: _own(value._ss_tensor(field.name)) for field in value._ss_fields}
        fields = [_field(f.name, f.kind, tensors[f.name]) for f in value._ss_fields]
        return {"kind": "model", "type": value._ss_kind.__name__, "fields": fields, "tensors": tensors}
    if isinstance(value, Optimizer):
        model = value._ss_model
        params = dict(zip((field.name for field in model._ss_params), value._ss_params, strict=True))
        return {
            "kind": "optimizer",
            "type": str(StateType(type(value), model)),
            "optimizer": value._ss_name,
            "model": model.__name__,
            "fields": [_field(name, "param", param) for name, param in params.items()],
            "of": _owner(params, values),
            "state": value.state_dict(),
        }
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    for name, kind in _SCALARS.items():
        if isinstance(value, kind):
            return {"kind": name, "value": kind(value)}
    raise KindError(
        f"value {number} of save is {kind_of(value)}: a checkpoint holds models, optimizer state, and int, float and "
        "bool values",
        location=where,
    )


def _own(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor without its history, and without the rest of a larger tensor that it is a part of."""
    plain = tensor.detach()
    return (
        plain if plain.untyped_storage().nbytes() == plain.numel() * plain.element_size() else plain.clone()
    )


def _field(name: str, kind: str, tensor: torch.Tensor) -> dict[str, Any]:
    return {"name": name, "kind": kind, "shape": list(tensor.shape), "dtype": _dtype(tensor.dtype)}


def _dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _owner(params: dict[str, torch.Tensor], values: Sequence[Any]) -> int | None:
    """The position of the model whose params these are, among the values saved."""
    for position, value in enumerate(values):
        if isinstance(value, Model) and all(value._parameters.get(n) is p for n, p in params.items()):
            return position
    return None


def type_text(kind: Loadable) -> str:
    """A type as `load` is given it, for messages."""
    return str(kind) if isinstance(kind, StateType) else kind.__name__


def is_loadable(kind: Any) -> bool:
    """Whether it is a type that `load` takes."""
    if isinstance(kind, StateType):
        return True
    return isinstance(kind, type) and (
        kind in _SCALARS.values() or (issubclass(kind, Model) and kind is not Model)
    )


def entry_text(entry: dict[str, Any]) -> str:
    """What an entry is, for messages."""
    return entry["type"] if entry["kind"] in ("model", "optimizer") else entry["kind"]


def is_whole(entry: Any, entries: Sequence[Any]) -> bool:
    """Whether an entry is one that `entry_of` makes, as far as can be said without a type to hold it against."""
    if not isinstance(entry, dict):
        return False
    kind = entry.get("kind")
    if kind in _SCALARS:
        return type(entry.get("value")) is _SCALARS[kind]
    if not isinstance(entry.get("type"), str) or not _are_fields(entry.get("fields")):
        return False
    if kind == "model":
        tensors = entry.get("tensors")
        return (
            isinstance(tensors, dict)
            and {f["name"] for f in entry["fields"]} == set(tensors)
            and all(_holds(tensors[field["name"]], field) for field in entry["fields"])
        )
    of = entry.get("of")
    if (
        kind != "optimizer"
        or entry.get("optimizer") not in _OPTIMIZERS
        or not isinstance(entry.get("model"), str)
    ):
        return False
    if of is not None:
        if type(of) is not int or not 0 <= of < len(entries) or not isinstance(entries[of], dict):
            return False
        if entries[of].get("kind") != "model":
            return False
    return isinstance(entry.get("state"), dict)


def _are_fields(fields: Any) -> bool:
    if not isinstance(fields, list):
        return False
    for field in fields:
        if not isinstance(field, dict) or field.keys() != {"name", "kind", "shape", "dtype"}:
            return False
        if not all(isinstance(field[key], str) for key in ("name", "kind", "dtype")):
            return False
        if not isinstance(field["shape"], list) or not all(type(size) is int for size in field["shape"]):
            return False
    return len({field["name"] for field in fields}) == len(fields)


def _holds(tensor: Any, field: dict[str, Any]) -> bool:
    return (
        type(tensor) is torch.Tensor
        and tensor.layout == torch.strided
        and list(tensor.shape) == field["shape"]
        and _dtype(tensor.dtype) == field["dtype"]
    )


def differences(entry: dict[str, Any], kind: Loadable) -> list[str]:
    """Everything that keeps an entry from being loaded as a type."""
    if isinstance(kind, StateType):
        if entry["kind"] != "optimizer":
            return [f"the file has {_named(entry)} there"]
        if (entry["optimizer"], entry["model"]) != (kind.optimizer._ss_name, kind.model.__name__):
            return [f"the file has {_named(entry)} there"]
        declared = {f.name: ("param", list(f.shape), _dtype(f.dtype)) for f in kind.model._ss_params}
        problems = _field_differences(entry["fields"], declared, kind.model.__name__)
        if not problems:
            problem = kind.optimizer._ss_problem(entry["state"], kind.model)
            problems = [problem] if problem is not None else []
        return problems
    if issubclass(kind, Model):
        if entry["kind"] != "model" or entry["type"] != kind._ss_kind.__name__:
            return [f"the file has {_named(entry)} there"]
        declared = {f.name: (f.kind, list(f.shape), _dtype(f.dtype)) for f in kind._ss_fields}
        return _field_differences(entry["fields"], declared, kind.__name__)
    if entry["kind"] == kind.__name__ or (
        (entry["kind"], kind) == ("int", float) and _is_float(entry["value"])
    ):
        return []
    return [f"the file has {_named(entry)} there"]


def _is_float(value: int) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _named(entry: dict[str, Any]) -> str:
    if entry["kind"] == "model":
        return f"a model `{entry['type']}`"
    if entry["kind"] == "optimizer":
        return f"optimizer state `{entry['type']}`"
    return f"the {entry['kind']} {entry['value']!r}"


def _field_differences(
    fields: list[dict[str, Any]], declared: dict[str, tuple[str, list[int], str]], model: str
) -> list[str]:
    problems = []
    saved = {field["name"]: field for field in fields}
    for name, (kind, shape, dtype) in declared.items():
        field = saved.get(name)
        if field is None:
            problems.append(f"field `{name}` isn't in the file, but `{model}` declares it")
        elif field["kind"] != kind:
            problems.append(
                f"field `{name}` is a {field['kind']} in the file, but `{model}` declares a {kind}"
            )
        elif (field["shape"], field["dtype"]) != (shape, dtype):
            problems.append(
                f"field `{name}` is {tuple(field['shape'])} {field['dtype']} in the file, but `{model}` declares "
                f"{tuple(shape)} {dtype}"
            )
    problems += [
        f"field `{name}` is in the file, but `{model}` doesn't declare it"
        for name in saved
        if name not in declared
    ]
    return problems


def made(entry: dict[str, Any], kind: Loadable, others: Sequence[Any]) -> Any:
    """The value of an entry that has no differences from a type.

    Arguments:
        others: what was made of the entries, None for those that are still to be made. State is made after its model.

    Raises ValueError for hyperparameters that torch doesn't take.
    """
    if isinstance(kind, StateType):
        of = entry["of"]
        model = others[of] if of is not None else None
        return _state(entry, kind, model if isinstance(model, kind.model) else None)
    if issubclass(kind, Model):
        return kind._ss_made({name: tensor.contiguous() for name, tensor in entry["tensors"].items()})
    return _SCALARS[kind.__name__](entry["value"])


def _state(entry: dict[str, Any], kind: StateType, model: Model | None) -> Optimizer:
    fields = kind.model._ss_params
    if model is None:
        # Stand-ins that take no memory, until an update brings a model.
        place = device()
        params = [torch.empty((), dtype=f.dtype, device=place).expand(f.shape) for f in fields]
    else:
        params = model._ss_tensors(fields)
    (group,) = entry["state"]["torch"]["param_groups"]
    options = {name: group[name] for name in kind.optimizer._ss_options}
    if "betas" in options:
        options["betas"] = tuple(map(float, options["betas"]))
    state = kind.optimizer(kind.model, params, undescribed(entry["state"]["lr"]), options)
    state._ss_restore(entry["state"])
    return state
