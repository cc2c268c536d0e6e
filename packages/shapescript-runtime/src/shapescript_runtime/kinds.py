"""What the arguments that aren't plain tensors are checked with: that they are of the declared kind at all."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from .errors import KindError


def sentence(expected: str, argument: str | None, function: str | None) -> str:
    """The start of a message: what an argument, or without one the value, should be."""
    if argument is None:
        return f"the value should be {expected}"
    of = "" if function is None else f" of `{function}`"
    return f"argument `{argument}`{of} should be {expected}"


def refuse_kind(
    what: str, expected: str, where: str | None, argument: str | None = None, function: str | None = None
) -> NoReturn:
    """Raises the KindError of an argument that is something else.

    Arguments:
        what: what it is, as `kind_of` says it.
        expected: what it should be.
        where: "file.ss:line:col" of the parameter.
        argument: the parameter.
        function: the function it belongs to.
    """
    raise KindError(
        f"{sentence(expected, argument, function)}, got {what}",
        location=where or None,
        argument=argument,
        expected=expected,
        got=what,
    )


def kind_of(value: Any) -> str:
    """Says what a value is, for messages: "a list", "the float 0.5", "a tensor of shape (3,)"."""
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    name = plain_name(type(value))
    if isinstance(value, torch.nn.Module) and (inner := _wrapped(value)) is not None:
        return f"{_article(name)} around a model: pass the model, which is its `{inner}`"
    if isinstance(value, type):
        return f"the class {plain_name(value)}"
    if isinstance(value, (bool, int, float)):
        return f"the {name} {value!r}"
    if type(value).__module__.partition(".")[0] == "numpy":
        return f"a NumPy {name}"
    return _article(name)


def _wrapped(module: torch.nn.Module) -> str | None:
    """The attribute in which torch's wrappers, such as those of torch.compile and of averages, have a model."""
    for name in ("_orig_mod", "module"):
        if hasattr(type(getattr(module, name, None)), "_ss_kind"):
            return name
    return None


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def plain_name(kind: type) -> str:
    """The name of a class, as the runtime calls it where it was moved into a module that stands alone."""
    return kind.__name__.removeprefix("_ss_rt_")


def stored(shape: tuple[int, ...], dtype: torch.dtype) -> str:
    """A shape and a dtype, for messages: "(784, 256) float32"."""
    return f"{tuple(shape)} {str(dtype).removeprefix('torch.')}"
