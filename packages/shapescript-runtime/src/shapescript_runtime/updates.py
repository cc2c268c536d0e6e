"""One step of an optimizer: `update(m, opt, g)`."""

from __future__ import annotations

import operator
from typing import Any

import torch

from .gradients import Grad
from .kinds import kind_of, refuse_kind
from .models import Model, model_differences
from .optimizers import Optimizer
from .schedules import Schedule


def update(model: Any, optimizer: Any, grad: Any) -> None:
    """Applies one step of the optimizer's state to a model, with a gradient, and counts it.

    The step is torch's. The params stay the same objects, changed in place, and no `.grad` is left behind. Given
    another model of the same type, the state moves to that one's params.

    Raises KindError if an argument is of another kind, or of another model than the first.
    """
    if not isinstance(model, Model):
        refuse_kind(kind_of(model), "a model", None, "m", "update")
    if not isinstance(optimizer, Optimizer):
        refuse_kind(kind_of(optimizer), "optimizer state", None, "opt", "update")
    if not isinstance(grad, Grad):
        refuse_kind(kind_of(grad), "a gradient", None, "g", "update")
    kind = model._ss_kind
    tensors = list(grad.__dict__.values())
    if not optimizer._ss_model is kind is grad._ss_model:
        _require_same(optimizer._ss_model, kind, "optimizer state", "opt")
        _require_same(grad._ss_model, kind, "a gradient", "g")
        tensors = [grad.__dict__[field.name] for field in optimizer._ss_model._ss_params]
    params = optimizer._ss_params_of(model)
    if not all(map(operator.is_, params, optimizer._ss_params)):
        optimizer._ss_bind(params)
    if isinstance(optimizer._ss_lr, Schedule):
        optimizer._ss_set_rate()
    tensors = [_laid_out(tensor) for tensor in tensors]
    if optimizer._ss_stepped(params, tensors):
        _forget(params)
    else:
        _step(optimizer.torch, params, tensors)
    optimizer.steps += 1


def _step(optimizer: torch.optim.Optimizer, params: list[torch.Tensor], tensors: list[torch.Tensor]) -> None:
    try:
        for param, tensor in zip(params, tensors, strict=True):
            # torch leaves a param without a gradient as it is, as a frozen one should be.
            param.grad = tensor if param.requires_grad else None
        optimizer.step()
    finally:
        _forget(params)


def _forget(params: list[torch.Tensor]) -> None:
    """Leaves no `.grad`, whoever made it."""
    for param in params:
        if param.grad is not None:
            param.grad = None


def _laid_out(tensor: torch.Tensor) -> torch.Tensor:
    """A gradient in row-major order, in which torch's fused kernels on the CPU read it, whatever its strides say.

    `backward` sees to that for `.grad`. `torch.autograd.grad` returns what it has, such as a transposed product.
    """
    return tensor if tensor.is_contiguous() else tensor.contiguous()


def _require_same(kind: type[Model], model: type[Model], what: str, argument: str) -> None:
    if kind is not model and (differences := model_differences(kind, model)):
        refuse_kind(
            f"{what} of {differences}", f"{what} of the model `{model.__name__}`", None, argument, "update"
        )
