"""Holding the state dict of an optimizer against what it should be, before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from .kinds import kind_of
from .models import Field, Model
from .schedules import undescribed

IsState = Callable[[set[str], dict[str, Any]], bool]


def state_problem(
    state: Any, optimizer: str, options: Iterable[str], is_state: IsState, model: type[Model]
) -> str | None:
    """Says what keeps a state dict from being one of an optimizer for a model, or None.

    It is held against the model's params to the last size: fused kernels believe what they are given.

    Arguments:
        state: what may be a state dict.
        optimizer: the optimizer's name.
        options: the names of its hyperparameters in torch.
        is_state: whether torch keeps tensors of some names for a param, with some hyperparameters.
        model: the model.
    """
    keys = {"optimizer", "model", "params", "lr", "steps", "torch"}
    if not isinstance(state, dict) or set(state) != keys:
        return f"it should be a dict with {', '.join(sorted(keys))}"
    if (state["optimizer"], state["model"]) != (optimizer, model.__name__):
        return f"it is of {state['optimizer']!r} for the model {state['model']!r}"
    fields = {field.name: field for field in model._ss_params}
    if not isinstance(state["params"], list) or sorted(map(str, state["params"])) != sorted(fields):
        return f"its params are {state['params']}, and those of `{model.__name__}` are {', '.join(fields)}"
    if not isinstance(state["steps"], int) or isinstance(state["steps"], bool) or state["steps"] < 0:
        return f"its number of updates is {state['steps']!r}"
    try:
        undescribed(state["lr"])
    except ValueError as error:
        return str(error)
    return _inner_problem(state["torch"], options, is_state, [fields[name] for name in state["params"]])


def _inner_problem(inner: Any, names: Iterable[str], is_state: IsState, fields: list[Field]) -> str | None:
    """The same for torch's own part, whose numbers stand for these fields."""
    try:
        (group,) = inner["param_groups"]
        entries = inner["state"]
        options = {name: group[name] for name in names}
        if list(group["params"]) != list(range(len(fields))) or not set(entries) <= set(range(len(fields))):
            return "torch's part is of other params"
    except (KeyError, TypeError, ValueError, AttributeError):
        return "torch's part of it is damaged"
    for name, value in options.items():
        if not _are_numbers(value, 2) if name == "betas" else not _are_numbers([value], 1):
            return f"its {name} is {value!r}"
    for number, entry in entries.items():
        if not isinstance(entry, dict) or not is_state(set(entry), options):
            return f"torch's state of `{fields[number].name}` is damaged"
        for name, value in entry.items():
            shape = () if name == "step" else fields[number].shape
            if not _is_state(value, shape, name):
                return f"torch's {name} of `{fields[number].name}` should be of shape {shape}, and is {kind_of(value)}"
    return None


def _is_state(value: Any, shape: tuple[int, ...], name: str) -> bool:
    if isinstance(value, torch.Tensor):
        return tuple(value.shape) == shape and value.is_floating_point() and value.layout == torch.strided
    return value is None if name == "momentum_buffer" else name == "step" and isinstance(value, (int, float))


def _are_numbers(values: Any, count: int) -> bool:
    return (
        isinstance(values, (tuple, list))
        and len(values) == count
        and all(isinstance(value, (bool, int, float)) for value in values)
    )
