"""Functions that Python calls by one name and that have a version for each model, or for each data record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import unwrap
from typing import Any

import torch

__all__ = ["generic", "overloads"]

Versions = Sequence[tuple[type, Callable[..., Any]]]


class _ByModel:
    """Calls the version for the class of a model, or of what belongs to one or to a record, among its arguments."""

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self._versions: dict[type, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return f"<function {self.__name__} for {', '.join(t.__name__ for t in self._versions) or 'no model'}>"

    def _version(self, values: Sequence[Any]) -> Callable[..., Any] | None:
        for value in values:
            for kind in _kind(value).__mro__:
                found = self._versions.get(kind)
                if found is not None:
                    return found
        return None

    def _models(self) -> str:
        known = [kind.__name__ for kind in self._versions]
        return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} or {known[-1]}"


def _kind(value: Any) -> type:
    """What tells versions apart: the model of a gradient or of optimizer state, the record of a dataset, and else the
    value's class."""
    for name in ("_ss_model", "_ss_record"):
        found = getattr(value, name, None)
        if isinstance(found, type):
            return found
    return type(value)


def _tells(value: Any) -> bool:
    """Whether a value says which version is meant, be there one or not."""
    return isinstance(value, torch.nn.Module) or hasattr(_kind(value), "_ss_fields")


class _Overloads(_ByModel):
    def __call__(self, *arguments: Any, **named: Any) -> Any:
        found = self._version(arguments[:1]) if arguments else self._named(named)
        if found is None:
            given = type(arguments[0]).__name__ if arguments else "nothing"
            raise TypeError(f"{self.__name__} takes a model first, {self._models()}, and was given {given}")
        return found(*arguments, **named)

    def _named(self, named: dict[str, Any]) -> Callable[..., Any] | None:
        """The version whose first parameter is given by name, in whichever place."""
        for kind, version in self._versions.items():
            first = unwrap(version).__code__.co_varnames[0]
            # A name that Python reserves has a _ behind it, and can be given without.
            if isinstance(named.get(first, named.get(first.removesuffix("_"))), kind):
                return version
        return None


class _Generic(_ByModel):
    def add(self, kind: type, instance: Callable[..., Any]) -> None:
        """Makes an instance the one for a model or record. The first for one stays, wherever it was compiled."""
        self._versions.setdefault(kind, instance)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        values = [*arguments, *named.values()]
        found = self._version(values)
        if found is not None:
            return found(*arguments, **named)
        if not self._versions:
            raise TypeError(
                f"{self.__name__} is generic, and no ShapeScript code that was imported calls it, so Python has no "
                "version to call: call it from a function of a .ss file"
            )
        if any(map(_tells, values)):
            raise TypeError(f"{self.__name__} has versions for {self._models()}, and was given none of them")
        if len(self._versions) == 1:
            # Such as a dataset of Python's, which doesn't say its record: the only version checks what it is given.
            (found,) = self._versions.values()
            return found(*arguments, **named)
        raise TypeError(
            f"{self.__name__} has versions for {self._models()}, and nothing that it was given says which is meant: "
            "call it from a function of a .ss file"
        )


def overloads(name: str, versions: Versions) -> Callable[..., Any]:
    """A function that calls the one of `versions` for the class of its first argument.

    Raises, when it is called: TypeError for another first argument.
    """
    made = _Overloads(name)
    made._versions.update(versions)
    # As a function of the module has, for `help` and for documentation that is made from it.
    made.__module__ = versions[0][1].__module__
    made.__doc__ = "\n\n".join(filter(None, (version.__doc__ for _, version in versions)))
    return made


def generic(name: str) -> Any:
    """A function that calls its instance for the model or record of what it is given; `add` adds one.

    What nothing tells apart is for the only instance, if there is one.

    Raises, when it is called: TypeError if it has no instance for that.
    """
    return _Generic(name)
