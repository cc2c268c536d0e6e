"""Gradients of models, without `.grad`: values that a function computes and others use."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from numbers import Real
from typing import Any

import torch

from .declared import device
from .errors import DeviceError, ShapeError
from .kinds import kind_of, refuse_kind, sentence, stored
from .models import Model, model_differences

_HALVES = (torch.float16, torch.bfloat16)


class _Depth(threading.local):
    """How many calls of value_and_grad this thread is inside of."""

    depth = 0


_nesting = _Depth()


class Grad:
    """A gradient with respect to the params of a model: its fields are attributes and items, in declaration order.

    Gradients of one model are added and subtracted, negated, multiplied by a number or a [] tensor on either side, and
    divided by one. What isn't a field is a method of a dict (`keys`, `values`, `items`), which a param of that name
    hides, or starts with an underscore.
    """

    __slots__ = ("__dict__", "__weakref__", "_ss_model", "_ss_norm")

    # So that NumPy's numbers leave multiplication to __rmul__.
    __array_ufunc__ = None

    _ss_model: type[Model]
    _ss_norm: tuple[torch.Tensor, tuple[int, ...]] | None

    def __init__(self, model: type[Model], tensors: dict[str, torch.Tensor]) -> None:
        self._ss_model = model
        self._ss_norm = None
        self.__dict__ = tensors

    def _ss_made(self, tensors: list[torch.Tensor] | tuple[torch.Tensor, ...]) -> Grad:
        """A gradient of the same model with other tensors."""
        return Grad(self._ss_model, dict(zip(self.__dict__, tensors, strict=True)))

    def __getitem__(self, name: str) -> torch.Tensor:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __len__(self) -> int:
        return len(self.__dict__)

    def keys(self) -> KeysView[str]:
        """The params' names."""
        return self.__dict__.keys()

    def values(self) -> ValuesView[torch.Tensor]:
        """A tensor for each param."""
        return self.__dict__.values()

    def items(self) -> ItemsView[str, torch.Tensor]:
        """The params' names, each with its tensor."""
        return self.__dict__.items()

    def __add__(self, other: Any) -> Grad:
        if not isinstance(other, Grad):
            return NotImplemented
        return self._ss_made(torch._foreach_add(_list(self), _same(self, other)))

    def __sub__(self, other: Any) -> Grad:
        if not isinstance(other, Grad):
            return NotImplemented
        return self._ss_made(torch._foreach_sub(_list(self), _same(self, other)))

    def __neg__(self) -> Grad:
        return self._ss_made(torch._foreach_neg(_list(self)))

    def __mul__(self, other: Any) -> Grad:
        factor = _factor(other)
        if factor is None:
            return NotImplemented
        return self._ss_made(torch._foreach_mul(_list(self), factor))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Grad:
        divisor = _factor(other)
        if divisor is None:
            return NotImplemented
        return self._ss_made(torch._foreach_div(_list(self), divisor))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}: {stored(t.shape, t.dtype)}" for name, t in self.__dict__.items())
        return f"Grad[{self._ss_model.__name__}]({fields})"


def value_and_grad(function: Callable[..., Any], model: Any, *arguments: Any) -> tuple[torch.Tensor, Grad]:
    """Calls function(model, *arguments) and returns its value and the value's gradient by the model's params.

    It differentiates whatever the caller has switched off, reads and writes no `.grad`, and returns a value that is
    part of no gradient. Params that the function doesn't read, and frozen ones (requires_grad is false), get zeros.
    Inside another value_and_grad, both results are part of what that one differentiates.

    Raises:
        KindError: `model` isn't a model.
        ShapeError: the function's value isn't a [] tensor.
    """
    if not isinstance(model, Model):
        refuse_kind(kind_of(model), "a model", None, "m", "value_and_grad")
    if torch.is_inference_mode_enabled():
        with torch.inference_mode(False):
            return value_and_grad(function, model, *arguments)
    if not torch.is_grad_enabled():
        with torch.enable_grad():
            return value_and_grad(function, model, *arguments)
    depth = _nesting.depth
    _nesting.depth = depth + 1
    try:
        value = function(model, *arguments)
        tensors = _differentiated(value, model, depth > 0)
    finally:
        _nesting.depth = depth
    return value if depth else value.detach(), Grad(model._ss_kind, tensors)


def _differentiated(value: Any, model: Model, again: bool) -> dict[str, torch.Tensor]:
    """The gradient of a value by each param of a model, itself differentiable if that is to be done again."""
    if not isinstance(value, torch.Tensor) or value.dim() != 0:
        what = stored(value.shape, value.dtype) if isinstance(value, torch.Tensor) else kind_of(value)
        raise ShapeError(f"value_and_grad differentiates a function whose value is a [] tensor, got {what}")
    names = [field.name for field in model._ss_params]
    params = model._ss_tensors(model._ss_params)
    trained = [param for param in params if param.requires_grad]
    found = iter(
        torch.autograd.grad(value, trained, create_graph=again, materialize_grads=True)
        if trained and value.requires_grad
        else [torch.zeros_like(param, requires_grad=False) for param in trained]
    )
    return {
        name: next(found) if param.requires_grad else torch.zeros_like(param)
        for name, param in zip(names, params, strict=True)
    }


def grad_norm(grad: Any) -> torch.Tensor:
    """Returns the 2-norm of all the gradient's values together as f32: torch.nn.utils.get_total_norm.

    Values of 16 bits are added up as f32, in which their squares don't overflow.

    Raises KindError if it isn't a gradient.
    """
    if not isinstance(grad, Grad):
        refuse_kind(kind_of(grad), "a gradient", None, "g", "norm")
    return _total(grad).to(torch.float32)


def clip_norm(grad: Any, max_norm: float) -> Grad:
    """Returns the gradient scaled so that its norm is at most max_norm, by min(1, max_norm / (norm + 1e-6)), as
    torch.nn.utils.clip_grad_norm_ does in place (Pascanu et al., 2013).

    Raises KindError if it isn't a gradient.
    """
    if not isinstance(grad, Grad):
        refuse_kind(kind_of(grad), "a gradient", None, "g", "clip_norm")
    scale = torch.clamp(max_norm / (_total(grad) + 1e-6), max=1.0)
    if _is_one(scale):
        return grad._ss_made(_list(grad))
    return grad._ss_made(torch._foreach_mul(_list(grad), scale))


def _total(grad: Grad) -> torch.Tensor:
    """The norm of a gradient, which is logged and then clipped by as a rule, and so is worked out once.

    Whoever changes a tensor of the gradient in between changes its version.
    """
    tensors = _list(grad)
    versions = () if torch.is_inference_mode_enabled() else tuple(map(_version_of, tensors))
    known = grad._ss_norm
    if known is not None and versions and known[1] == versions:
        return known[0]
    norms = [_norm(tensor) for tensor in tensors]
    total = norms[0] if len(norms) == 1 else torch.linalg.vector_norm(torch.stack(norms))
    grad._ss_norm = total, versions
    return total


def check_grad(
    value: Any, model: type[Model], where: str, argument: str | None = None, function: str | None = None
) -> None:
    """Checks that an argument is a gradient of a model, with the shapes and dtypes of its params.

    Raises:
        KindError: it isn't a gradient, or is one of another model.
        ShapeError: a field differs.
        DeviceError: a field isn't on the declared device.
    """
    expected = f"a gradient of the model `{model.__name__}`"
    if not isinstance(value, Grad):
        refuse_kind(kind_of(value), expected, where, argument, function)
    if value._ss_model is not model and (differences := model_differences(value._ss_model, model)):
        refuse_kind(f"one of {differences}", expected, where, argument, function)
    tensors = value.__dict__
    place = device()
    for field in model._ss_params:
        tensor = tensors.get(field.name)
        if tensor is None or tensor.shape != field.shape or tensor.dtype is not field.dtype:
            declared = stored(field.shape, field.dtype)
            found = "missing" if tensor is None else stored(tensor.shape, tensor.dtype)
            error: type[ShapeError | DeviceError] = ShapeError
        elif tensor.device != place:
            declared, found, error = f"on the declared device, {place}", f"on {tensor.device}", DeviceError
        else:
            continue
        raise error(
            f"{sentence(expected, argument, function)}, whose field `{field.name}` is {declared}, "
            f"got one whose `{field.name}` is {found}",
            location=where,
            argument=argument,
            expected=declared,
            got=found,
        )


_version_of = operator.attrgetter("_version")


def _list(grad: Grad) -> list[torch.Tensor]:
    return list(grad.__dict__.values())


def _same(grad: Grad, other: Grad) -> list[torch.Tensor]:
    """The other gradient's tensors in this one's order.

    Raises KindError if it is of another model.
    """
    if other._ss_model is not grad._ss_model and (
        differences := model_differences(other._ss_model, grad._ss_model)
    ):
        refuse_kind(f"one of {differences}", f"a gradient of the model `{grad._ss_model.__name__}`", None)
    return [other.__dict__[name] for name in grad.__dict__]


def _factor(value: Any) -> Any:
    """A number, NumPy's included, or a [] tensor, as something to multiply by; None for anything else."""
    if isinstance(value, torch.Tensor):
        return value if value.dim() == 0 else None
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    return None


def _norm(tensor: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(tensor, dtype=torch.float32 if tensor.dtype in _HALVES else None)


def _is_one(scale: torch.Tensor) -> bool:
    """Whether multiplying by it can be left out. Asked only where the answer is there already, and of no graph."""
    if torch.compiler.is_compiling() or not scale.is_cpu or scale.requires_grad:
        return False
    return (
        type(scale) is torch.Tensor
        and not torch._C._are_functorch_transforms_active()
        and scale.item() == 1.0
    )
