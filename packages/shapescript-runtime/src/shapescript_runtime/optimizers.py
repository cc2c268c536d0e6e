"""Optimizer state: torch's optimizers, bound to a type of model rather than to one model's tensors."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, NamedTuple

import torch
from torch.optim.adamw import adamw as functional_adamw

from .errors import ShapeError
from .kinds import kind_of, refuse_kind
from .models import Model, model_differences
from .optimizer_states import state_problem
from .schedules import Schedule, described, learning_rate, rate, undescribed

# The params of torch's fused kernels. On other devices, and for other dtypes, torch is left to choose.
_FUSED_DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


# Which keeps the hooks of all optimizers, and isn't an attribute of its package.
_OPTIMIZERS = sys.modules[torch.optim.Optimizer.__module__]


class StateType(NamedTuple):
    """`AdamW[Mlp]`, as a value: what `load` is told to expect."""

    optimizer: type[Optimizer]
    model: type[Model]

    def __str__(self) -> str:
        return f"{self.optimizer._ss_title}[{self.model.__name__}]"

    def __repr__(self) -> str:
        return str(self)


class Optimizer:
    """What `adamw` and `sgd` make: torch's optimizer, the learning rate, and how many updates it has made.

    Attributes:
        torch: torch's optimizer.
        steps: how many updates it has made.
    """

    _ss_name: ClassVar[str] = ""
    _ss_title: ClassVar[str] = ""  # which the class's own name isn't where it was moved into another module
    _ss_options: ClassVar[frozenset[str]] = frozenset()
    _ss_fused_on_the_cpu: ClassVar[tuple[torch.dtype, ...]] = _FUSED_DTYPES

    def __class_getitem__(cls, model: Any) -> StateType:
        if not (isinstance(model, type) and issubclass(model, Model) and model is not Model):
            raise TypeError(f"{cls._ss_title}[...] takes a model, not {kind_of(model)}")
        return StateType(cls, model._ss_kind)

    def __init__(
        self, model: type[Model], params: list[torch.Tensor], lr: float | Schedule, options: dict[str, Any]
    ) -> None:
        self._ss_model = model
        self._ss_params = params
        self._ss_lr = lr
        self.steps = 0
        self.torch = self._ss_made(params, lr._ss_start() if isinstance(lr, Schedule) else lr, options)
        self._ss_set_rate()

    @property
    def lr(self) -> float | Schedule:
        """The learning rate, a number or a schedule. Assigned, it is that of the next update on.

        A number is torch's to change, so one of its schedulers works on `torch` too.
        """
        if isinstance(self._ss_lr, Schedule):
            return self._ss_lr
        held = self.torch.param_groups[0]["lr"]
        if not isinstance(held, torch.Tensor):
            return float(held)
        as_held = torch.tensor(self._ss_lr, dtype=held.dtype, device="cpu")
        return self._ss_lr if as_held == held.cpu() else held.item()

    @lr.setter
    def lr(self, value: float | Schedule) -> None:
        self._ss_lr = learning_rate(value, f"the learning rate of {self._ss_name}")
        self._ss_set_rate()

    def _ss_made(
        self, params: list[torch.Tensor], lr: float, options: dict[str, Any]
    ) -> torch.optim.Optimizer:
        raise NotImplementedError

    @classmethod
    def _ss_is_state(cls, names: set[str], options: dict[str, Any]) -> bool:
        """Whether torch keeps tensors of these names for a param that it has updated."""
        raise NotImplementedError

    @classmethod
    def _ss_problem(cls, state: Any, model: type[Model]) -> str | None:
        """Says what keeps a state dict from being one of this optimizer for a model, or None."""
        return state_problem(state, cls._ss_name, cls._ss_options, cls._ss_is_state, model)

    @classmethod
    def _ss_fused(cls, params: list[torch.Tensor]) -> bool | None:
        """Whether torch has a fused kernel for the params, or None to let torch choose among its other ones."""
        dtypes = {
            "cpu": cls._ss_fused_on_the_cpu,
            "cuda": _FUSED_DTYPES,
            "xpu": _FUSED_DTYPES,
            "mps": (torch.float32, torch.float16),
        }
        for param in params:
            if param.dtype not in dtypes.get(param.device.type, ()) or not param.is_contiguous():
                return None
        return True

    def _ss_set_rate(self) -> None:
        """Sets torch's learning rate for the next step, in the device's tensor if it is kept in one."""
        value = rate(self._ss_lr, self.steps)
        for group in self.torch.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(value)
            else:
                group["lr"] = value

    def _ss_stepped(self, params: list[torch.Tensor], tensors: list[torch.Tensor]) -> bool:  # noqa: ARG002
        """Makes torch's step without its optimizer, whose own part of one takes as long as a small model's kernels.

        False, with nothing done, if it has to be the optimizer's.
        """
        return False

    def _ss_params_of(self, model: Model) -> list[torch.Tensor]:
        """A model's params, in the order that the state is kept in."""
        return model._ss_tensors(self._ss_model._ss_params)

    def _ss_bind(self, params: list[torch.Tensor]) -> None:
        """Moves the state from the params it is kept for to others of the same shapes."""
        state = self.torch.state
        kept = [state.pop(param, None) for param in self._ss_params]
        (group,) = self.torch.param_groups
        group["params"] = list(params)
        group["fused"] = self._ss_fused(params)
        for param, entry in zip(params, kept, strict=True):
            if entry is not None:
                state[param] = entry
                if group["fused"] and "step" in entry:  # which only fused kernels want beside the param
                    entry["step"] = entry["step"].to(param.device)
        self._ss_params = params

    def state_dict(self) -> dict[str, Any]:
        """Everything that going on needs, as plain data and tensors.

        The optimizer, the model's type and params, the learning rate, the number of updates, and torch's own state
        dict, with the learning rate as a number.

        Raises TypeError for a schedule that isn't made of cosine and warmup.
        """
        inner = self.torch.state_dict()
        inner["param_groups"] = [dict(group, lr=float(group["lr"])) for group in inner["param_groups"]]
        return {
            "optimizer": self._ss_name,
            "model": self._ss_model.__name__,
            "params": [field.name for field in self._ss_model._ss_params],
            "lr": described(self.lr),
            "steps": self.steps,
            "torch": inner,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from where `state_dict` was called, for the same optimizer and type of model.

        Raises ShapeError for anything else, and then changes nothing.
        """
        problem = self._ss_problem(state, self._ss_model)
        if problem is not None:
            raise ShapeError(f"this isn't the state of {StateType(type(self), self._ss_model)}: {problem}")
        self._ss_restore(state)

    def _ss_restore(self, state: dict[str, Any]) -> None:
        """Takes over a state that has no problem. How a step is computed belongs to this machine, and stays."""
        (group,) = self.torch.param_groups
        (saved,) = state["torch"]["param_groups"]
        held = group["lr"]
        options = {name: saved[name] for name in self._ss_options}
        if "betas" in options:
            options["betas"] = tuple(options["betas"])
        names = [field.name for field in self._ss_model._ss_params]
        entries = {}
        for number, entry in state["torch"]["state"].items():
            place = names.index(state["params"][number])
            # Copies: torch would go on in the tensors of the dict.
            entries[place] = {
                n: torch.clone(v, memory_format=torch.contiguous_format) if isinstance(v, torch.Tensor) else v
                for n, v in entry.items()
            }
        merged = {**group, **options, "params": list(range(len(names)))}
        self.torch.load_state_dict({"state": entries, "param_groups": [merged]})
        (group,) = self.torch.param_groups
        group["lr"] = held
        self.lr = undescribed(state["lr"])
        self.steps = state["steps"]
        self._ss_set_rate()

    def __repr__(self) -> str:
        return f"{StateType(type(self), self._ss_model)}(lr={self.lr!r}, steps={self.steps})"


class AdamW(Optimizer):
    """State of torch.optim.AdamW (Loshchilov and Hutter, 2019). `AdamW[Mlp]` is the type of it for a model."""

    _ss_name = "adamw"
    _ss_title = "AdamW"
    _ss_options = frozenset({"betas", "eps", "weight_decay", "amsgrad"})

    def _ss_made(
        self, params: list[torch.Tensor], lr: float, options: dict[str, Any]
    ) -> torch.optim.Optimizer:
        # A step in a CUDA graph reads its learning rate from the device.
        capturable = all(param.device.type in ("cuda", "xpu", "hpu", "xla") for param in params)
        held = torch.tensor(lr, dtype=torch.float32, device=params[0].device) if capturable else lr
        fused = self._ss_fused(params)
        return torch.optim.AdamW(params, lr=held, capturable=capturable, fused=fused, **options)

    def _ss_stepped(self, params: list[torch.Tensor], tensors: list[torch.Tensor]) -> bool:
        optimizer = self.torch
        group = optimizer.param_groups[0]
        if (
            len(optimizer.param_groups) > 1
            or not group["fused"]
            or group["capturable"]
            or _is_watched(optimizer)
        ):
            return False
        states = [optimizer.state[param] for param in params if optimizer.state.get(param)]
        if len(states) < len(params) or not all(map(_fits, params, tensors)):
            return False  # the first step, which makes the state, or one with frozen params
        with torch.no_grad():
            functional_adamw(
                params,
                tensors,
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [state["max_exp_avg_sq"] for state in states] if group["amsgrad"] else [],
                [state["step"] for state in states],
                fused=True,
                amsgrad=group["amsgrad"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
            )
        return True

    @classmethod
    def _ss_is_state(cls, names: set[str], options: dict[str, Any]) -> bool:
        more = {"max_exp_avg_sq"} if options["amsgrad"] else set()
        return names == {"step", "exp_avg", "exp_avg_sq"} | more


class SGD(Optimizer):
    """State of torch.optim.SGD. `SGD[Mlp]` is the type of it for a model."""

    _ss_name = "sgd"
    _ss_title = "SGD"
    _ss_options = frozenset({"momentum", "dampening", "weight_decay", "nesterov"})
    # Its kernel leaves most values of 16 bits as they are (seen in torch 2.13).
    _ss_fused_on_the_cpu = (torch.float64, torch.float32)

    def _ss_made(
        self, params: list[torch.Tensor], lr: float, options: dict[str, Any]
    ) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=lr, fused=self._ss_fused(params), **options)

    @classmethod
    def _ss_is_state(cls, names: set[str], options: dict[str, Any]) -> bool:  # noqa: ARG003 (as in every one)
        return names <= {"momentum_buffer"}


def adamw(
    model: Any,
    *,
    lr: float | Schedule,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    amsgrad: bool = False,
) -> AdamW:
    """Makes state of torch.optim.AdamW for every param of a model, fused where torch has that.

    Raises:
        KindError: `model` isn't a model.
        TypeError: lr is neither a number nor a schedule.
        ValueError: torch doesn't take one of the numbers.
    """
    options = {
        "betas": (float(beta1), float(beta2)),
        "eps": eps,
        "weight_decay": weight_decay,
        "amsgrad": amsgrad,
    }
    return AdamW(*_of(model, "adamw"), learning_rate(lr, "the learning rate of adamw"), options)


def sgd(
    model: Any,
    *,
    lr: float | Schedule,
    momentum: float = 0.0,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> SGD:
    """Makes state of torch.optim.SGD for every param of a model, fused where torch has that.

    Raises:
        KindError: `model` isn't a model.
        TypeError: lr is neither a number nor a schedule.
        ValueError: torch doesn't take one of the numbers.
    """
    options = {
        "momentum": momentum,
        "dampening": dampening,
        "weight_decay": weight_decay,
        "nesterov": nesterov,
    }
    return SGD(*_of(model, "sgd"), learning_rate(lr, "the learning rate of sgd"), options)


def _is_watched(optimizer: torch.optim.Optimizer) -> bool:
    """Whether somebody is told of the optimizer's steps: by a hook, or by a `step` of its own, as torch's learning
    rate schedulers give it one."""
    own = vars(optimizer)
    if "step" in own or own.get("_optimizer_step_pre_hooks") or own.get("_optimizer_step_post_hooks"):
        return True
    everywhere = vars(_OPTIMIZERS)
    return bool(
        everywhere.get("_global_optimizer_pre_hooks") or everywhere.get("_global_optimizer_post_hooks")
    )


def _fits(param: torch.Tensor, tensor: torch.Tensor) -> bool:
    return param.requires_grad and tensor.dtype is param.dtype and tensor.shape == param.shape


def check_optimizer(
    value: Any,
    optimizer: type[Optimizer],
    model: type[Model],
    where: str,
    argument: str | None = None,
    function: str | None = None,
) -> None:
    """Checks that an argument is an optimizer's state for a model.

    Raises KindError if it is something else, or the state of another optimizer or for another model.
    """
    if type(value) is optimizer and value._ss_model is model:
        return
    if isinstance(value, torch.optim.Optimizer):
        made = f"{optimizer._ss_name}(m, lr=...)"
        what = f"torch's optimizer {type(value).__name__}: make state of a model with {made}"
    elif not isinstance(value, Optimizer):
        what = kind_of(value)
    elif type(value) is not optimizer or value._ss_model.__name__ != model.__name__:
        what = str(StateType(type(value), value._ss_model))
    elif differences := model_differences(value._ss_model, model):
        what = f"state for {differences}"
    else:
        return
    refuse_kind(what, f"optimizer state {StateType(optimizer, model)}", where, argument, function)


def _of(model: Any, function: str) -> tuple[type[Model], list[torch.Tensor]]:
    if not isinstance(model, Model):
        refuse_kind(kind_of(model), "a model", None, "m", function)
    if not model._ss_params:
        raise ValueError(f"{function} has nothing to update: `{type(model).__name__}` has no params")
    return model._ss_kind, model._ss_tensors(model._ss_params)
