"""Models: records of tensors that are torch modules, so that whatever takes a module takes them."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import torch
from torch import nn

from .declared import device
from .errors import DeviceError, ShapeError
from .initializers import Initializer
from .kinds import kind_of, refuse_kind, sentence, stored
from .seeds import whole_seed


class Field(NamedTuple):
    """A field of a model: kind is "param", which is trained, or "buffer", which isn't."""

    name: str
    kind: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    initializer: Initializer


class Model(nn.Module):
    """What a `model` compiles to. A class of its own for each, with its fields in `_ss_fields`.

    `init` makes one. `state_dict()` holds the declared fields and nothing else: storing another tensor or module
    raises AttributeError.

    What isn't a field starts with an underscore, `init` apart, since no field can be called that.

    A class that Python derives from one, to give it a `forward`, say, is the same model.
    """

    _ss_fields: ClassVar[tuple[Field, ...]] = ()
    _ss_params: ClassVar[tuple[Field, ...]] = ()
    _ss_buffers: ClassVar[tuple[Field, ...]] = ()
    _ss_names: ClassVar[frozenset[str]] = frozenset()
    _ss_kind: ClassVar[type[Model]]  # the class that declares the fields

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_ss_fields" not in cls.__dict__ and hasattr(cls, "_ss_kind"):
            return
        cls._ss_kind = cls
        cls._ss_params = tuple(field for field in cls._ss_fields if field.kind == "param")
        cls._ss_buffers = tuple(field for field in cls._ss_fields if field.kind != "param")
        cls._ss_names = frozenset(field.name for field in cls._ss_fields)

    def __init__(self, *_arguments: Any, **_named: Any) -> None:
        raise TypeError(f"{type(self).__name__} is made with {type(self).__name__}.init(seed=...)")

    @classmethod
    def init(cls, seed: int) -> Self:
        """Makes a model on the declared device, each field drawn from a generator of its own.

        A field's values depend on the seed and the field's name only, so others may come, go or change places.

        Raises:
            TypeError: the seed isn't an int.
            DeviceError: nothing has declared devices.
        """
        number = whole_seed(seed, f"{cls.__name__}.init")
        place = device()
        return cls._ss_made(
            {f.name: f.initializer.fill(f.shape, f.dtype, number, f.name).to(place) for f in cls._ss_fields}
        )

    @classmethod
    def _ss_made(cls, tensors: dict[str, torch.Tensor]) -> Self:
        """A model of tensors, one for each field."""
        model = cls.__new__(cls)
        nn.Module.__init__(model)
        for field in cls._ss_fields:
            tensor = tensors[field.name]
            if field.kind == "param":
                model.register_parameter(field.name, nn.Parameter(tensor))
            else:
                model.register_buffer(field.name, tensor)
        return model

    def _ss_tensors(self, fields: tuple[Field, ...]) -> list[torch.Tensor]:
        """The tensors of declared params."""
        found = list(map(self._parameters.get, [field.name for field in fields]))
        for tensor in found:
            if tensor is None:
                return [self._ss_tensor(field.name) for field in fields]
        return found  # type: ignore[return-value]

    def _ss_tensor(self, name: str) -> torch.Tensor:
        """The tensor of a declared field."""
        found = self._parameters.get(name)
        tensor = self._buffers.get(name) if found is None else found
        if tensor is None:
            raise ShapeError(f"`{type(self).__name__}` has lost its field `{name}`")
        return tensor

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, (torch.Tensor, nn.Module)) and name not in self._ss_names:
            self._ss_refuse(name)
        super().__setattr__(name, value)

    def register_parameter(self, name: str, param: nn.Parameter | None) -> None:
        """As in torch, for declared fields only."""
        if name not in self._ss_names:
            self._ss_refuse(name)
        super().register_parameter(name, param)

    def register_buffer(self, name: str, tensor: torch.Tensor | None, persistent: bool = True) -> None:
        """As in torch, for declared fields only."""
        if name not in self._ss_names:
            self._ss_refuse(name)
        super().register_buffer(name, tensor, persistent)

    def add_module(self, name: str, module: nn.Module | None) -> None:  # noqa: ARG002 (as in torch)
        """Raises AttributeError: models don't nest."""
        self._ss_refuse(name)

    def forward(self, *_arguments: Any, **_named: Any) -> Any:
        """Raises NotImplementedError: what a model computes is a function of the program, which takes it."""
        kind = self._ss_kind.__name__
        raise NotImplementedError(
            f"a {kind} has no forward of its own: call a function of the program with it, such as forward(m, x) for "
            f"fn forward(m: {kind}, ...), or give a class derived from {kind} a forward"
        )

    def _ss_refuse(self, name: str) -> NoReturn:
        kind = type(self).__name__
        fields = ", ".join(field.name for field in self._ss_fields)
        raise AttributeError(
            f"`{kind}` has no field `{name}` to store a tensor or a module in: a {kind} holds {fields}"
        )

    def extra_repr(self) -> str:
        """The fields, a line each, as they are declared, and what the params come to."""
        lines = []
        values = size = 0
        for field in self._ss_fields:
            tensor = self._ss_tensor(field.name)
            lines.append(f"{field.kind} {field.name}: {stored(tensor.shape, tensor.dtype)}")
            if field.kind == "param":
                values += tensor.numel()
                size += tensor.numel() * tensor.element_size()
        return "\n".join([*lines, f"{values:,} trained values, {size:,} bytes"])


def set_field(model: Any, name: str, value: Any) -> None:
    """Assigns a field: copies a value into its tensor, which stays the same object, outside any gradient.

    Raises:
        KindError: `model` isn't a model.
        AttributeError: it declares no such field.
        ShapeError: the value has another shape than the field.
    """
    if not isinstance(model, Model):
        refuse_kind(kind_of(model), "a model, to assign a field of", None)
    if name not in model._ss_names:
        model._ss_refuse(name)
    tensor = model._ss_tensor(name)
    with torch.no_grad():
        if not isinstance(value, torch.Tensor):
            value = torch.as_tensor(value, dtype=tensor.dtype, device=tensor.device)
        if value.shape != tensor.shape:  # copy_ would stretch it
            raise ShapeError(
                f"field `{name}` of `{type(model).__name__}` has shape {tuple(tensor.shape)}, and can't be assigned "
                f"a value of shape {tuple(value.shape)}"
            )
        tensor.copy_(value)


def check_model(
    value: Any, model: type[Model], where: str, argument: str | None = None, function: str | None = None
) -> None:
    """Checks that an argument is a model of a name, its fields' shapes and dtypes the declared ones, where they should
    be.

    The class may be another one of the same name and fields, as when a module was loaded twice.

    Raises:
        KindError: it isn't a model, or is of another name.
        ShapeError: a field differs.
        DeviceError: a field isn't on the declared device.
    """
    if isinstance(value, model) or _is_same(type(value), model):
        place = device()
        on_cpu = place.type == "cpu"
        for fields, tensors in (
            (model._ss_params, value._parameters),
            (model._ss_buffers, value._buffers),
        ):
            for field in fields:
                tensor = tensors.get(field.name)
                if (
                    tensor is None
                    or tensor.shape != field.shape
                    or tensor.dtype is not field.dtype
                    # A device is an object that is made to be compared: four times the cost of the rest.
                    or not (tensor.is_cpu if on_cpu else tensor.device == place)
                ):
                    claim = sentence(f"a model `{model.__name__}`", argument, function)
                    _refuse_field(field, tensor, where, claim, argument)
        return
    what = model_differences(type(value), model) if isinstance(value, Model) else kind_of(value)
    refuse_kind(what, f"a model `{model.__name__}`", where, argument, function)


def _is_same(kind: type, model: type[Model]) -> bool:
    return issubclass(kind, Model) and not model_differences(kind, model)


def model_differences(kind: type[Model], model: type[Model]) -> str:
    """Says how the fields of two classes of models differ, or nothing if they are the same model."""
    kind, model = kind._ss_kind, model._ss_kind
    if kind.__name__ != model.__name__:
        return f"a model `{kind.__name__}`"
    if _declared(kind) == _declared(model):
        return ""
    return f"one of another `model {kind.__name__}`, with the fields {fields_text(kind)}, not {fields_text(model)}"


def _declared(model: type[Model]) -> list[tuple[Any, ...]]:
    return sorted((f.name, f.kind, tuple(f.shape), str(f.dtype)) for f in model._ss_fields)


def fields_text(model: type[Model]) -> str:
    """The fields of a class of models, for messages."""
    return ", ".join(f"{f.name} {stored(f.shape, f.dtype)}" for f in model._ss_fields) or "none"


def _refuse_field(
    field: Field, tensor: torch.Tensor | None, where: str, claim: str, argument: str | None
) -> NoReturn:
    expected = stored(field.shape, field.dtype)
    found = "nothing" if tensor is None else stored(tensor.shape, tensor.dtype)
    if tensor is None or found != expected:
        problem = "is missing" if tensor is None else f"is {found}"
        raise ShapeError(
            f"{claim}, whose field `{field.name}` is {expected}, got one whose `{field.name}` {problem}",
            location=where,
            argument=argument,
            expected=expected,
            got=found,
        )
    place = device()
    raise DeviceError(
        f"{claim} on the declared device, {place}, got one whose field `{field.name}` is on {tensor.device}: "
        f'nothing is moved for you, so move the model with .to("{place}")',
        location=where,
        argument=argument,
        expected=str(place),
        got=str(tensor.device),
    )
