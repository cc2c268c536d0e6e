"""Functions that Python calls by one name and that have a version for each model, or for each data record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from typing import Any

import torch

__all__ = ["generic", "overloads"]

Versions = Sequence[tuple[type, Callable[..., Any]]]


class _Overloads:
    """Calls the version for the class of the model that comes first."""

    def __init__(self, name: str, versions: Versions) -> None:
        self.__name__ = self.__qualname__ = name
        self._versions = dict(versions)
        # As a function of the module has, for `help` and for documentation that is made from it.
        self.__module__ = versions[0][1].__module__
        self.__doc__ = "\n\n".join(filter(None, (version.__doc__ for _, version in versions)))

    def __repr__(self) -> str:
        return f"<function {self.__name__} for {', '.join(kind.__name__ for kind in self._versions)}>"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        found = self._of_class(arguments[0]) if arguments else self._named(named)
        if found is None:
            given = type(arguments[0]).__name__ if arguments else "nothing"
            known = _listed([kind.__name__ for kind in self._versions])
            raise TypeError(f"{self.__name__} takes a model first, {known}, and was given {given}")
        return found(*arguments, **named)

    def _of_class(self, model: Any) -> Callable[..., Any] | None:
        return next((self._versions[kind] for kind in type(model).__mro__ if kind in self._versions), None)

    def _named(self, named: dict[str, Any]) -> Callable[..., Any] | None:
        """The version whose first parameter is given by name, in whichever place."""
        for kind, version in self._versions.items():
            if isinstance(_by_name(named, unwrap(version).__code__.co_varnames[0]), kind):
                return version
        return None


def _by_name(named: dict[str, Any], name: str) -> Any:
    """An argument that was given by name. One that Python reserves has a _ behind it, and can be given without."""
    return named.get(name, named.get(name.removesuffix("_")))


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


class _Instance:
    """A version of a generic function, and the parameters that tell it from others: places, names and classes."""

    def __init__(self, kinds: Mapping[str, type], function: Callable[..., Any]) -> None:
        names = unwrap(function).__code__.co_varnames
        self.function = function
        self.told = [(names.index(name), name, kind) for name, kind in kinds.items()]
        models = [kind for kind in kinds.values() if issubclass(kind, torch.nn.Module)]
        self.label = " and ".join(dict.fromkeys(kind.__name__ for kind in models or kinds.values()))

    def fits(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool | None:
        """Whether arguments are of these classes; None if they don't say of which they are."""
        found = None
        for place, name, kind in self.told:
            value = arguments[place] if place < len(arguments) else _by_name(named, name)
            if issubclass(_kind(value), kind):
                found = True
            elif _tells(value):
                return False
        return found


class _Generic:
    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name
        self._instances: list[_Instance] = []

    def __repr__(self) -> str:
        return f"<function {self.__name__} for {self._labels() or 'no model'}>"

    def add(self, kinds: Mapping[str, type], instance: Callable[..., Any]) -> None:
        """Adds an instance. `kinds` are the models and records of the parameters that have or belong to one.

        The first instance for some classes stays, wherever it was compiled.
        """
        self._instances.append(_Instance(kinds, instance))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        silent = []
        for instance in self._instances:
            fits = instance.fits(arguments, named)
            if fits:
                return instance.function(*arguments, **named)
            if fits is None:
                silent.append(instance)
        if len(silent) == 1:
            # Such as a dataset of Python's, which doesn't say its record: the only version checks what it is given.
            return silent[0].function(*arguments, **named)
        if not self._instances:
            raise TypeError(
                f"{self.__name__} is generic, and no ShapeScript code that was imported calls it, so Python has no "
                "version to call: call it from a function of a .ss file"
            )
        if not silent:
            raise TypeError(f"{self.__name__} has versions for {self._labels()}, and was given none of them")
        raise TypeError(
            f"{self.__name__} has versions for {self._labels()}, and nothing that it was given says which is meant: "
            "call it from a function of a .ss file"
        )

    def _labels(self) -> str:
        return _listed(list(dict.fromkeys(instance.label for instance in self._instances)))


def _listed(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def overloads(name: str, versions: Versions) -> Callable[..., Any]:
    """A function that calls the one of `versions` for the class of its first argument.

    Raises, when it is called: TypeError for another first argument.
    """
    return _Overloads(name, versions)


def generic(name: str) -> Any:
    """A function that calls its instance for the models and records of what it is given; `add` adds one.

    What nothing tells apart is for the only instance that it may be for.

    Raises, when it is called: TypeError if it has no instance for that.
    """
    return _Generic(name)
