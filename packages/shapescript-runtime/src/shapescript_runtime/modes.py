"""Modes: whether a program trains, and which of a seed's draws each of its calls makes.

A mode that has a seed carries a path besides it. A call that passes it on adds a part, such as "forward#1" for the
second call of forward, and "forward@4.17#0" for the first one in an iteration of a loop inside a loop. A draw is
seeded with the seed and the path, so draws in different calls differ, and the same call draws the same again.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, Self

import torch

from .kinds import kind_of, plain_name, refuse_kind
from .seeds import seeded, whole_seed


class Mode:
    """A mode: `Train(seed=...)`, `Sample(seed=...)` or `Eval`."""

    __slots__ = ()

    def call(self, name: str, count: int, *iterations: int) -> Mode:
        """The mode that a call passes on.

        Arguments:
            name: the name of the function that is called.
            count: how many calls of that name passed a mode on before, in the same iteration.
            iterations: which iteration each of the loops around it is in, outermost first.
        """
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError("a mode doesn't change; make another")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a mode doesn't change; make another")


class Seeded(Mode):
    """A mode whose random operations draw from a seed.

    Raises TypeError if the seed isn't an int.
    """

    __slots__ = ("path", "seed")

    seed: int
    path: str

    def __init__(self, *, seed: int) -> None:
        _set(self, "seed", whole_seed(seed, plain_name(type(self))))
        _set(self, "path", "")

    def call(self, name: str, count: int, *iterations: int) -> Self:
        """The mode that a call passes on: of the same seed, and a path longer by one part."""
        label = f"{name}@{'.'.join(map(str, iterations))}#{count}" if iterations else f"{name}#{count}"
        mode = _new(type(self))
        _set(mode, "seed", self.seed)
        _set(mode, "path", f"{self.path}/{label}" if self.path else label)
        return mode

    def generator(self, device: torch.device, salt: int = 0) -> torch.Generator:
        """A generator for the draw at this path. Made anew, it draws the same again; another salt draws others."""
        return seeded(self.seed, f"{self.path}+{salt}" if salt else self.path, device)

    def __reduce__(self) -> tuple[Any, ...]:
        return _mode_at, (type(self), self.seed, self.path)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Seeded)
            and type(self) is type(other)
            and (self.seed, self.path) == (other.seed, other.path)
        )

    def __hash__(self) -> int:
        return hash((self.seed, self.path))

    def __repr__(self) -> str:
        return f"{plain_name(type(self))}(seed={self.seed})" + (f" at {self.path}" if self.path else "")


class Train(Seeded):
    """The mode of training, whose random operations draw from a seed.

    Raises TypeError if the seed isn't an int.
    """

    __slots__ = ()


class Sample(Seeded):
    """The mode of drawing without training: `normal` and `uniform` draw from a seed as with Train, and everything else
    does what it does with Eval.

    Raises TypeError if the seed isn't an int.
    """

    __slots__ = ()


class _Eval(Mode):
    """The mode of evaluation, whose random operations do nothing. There is one, `Eval`."""

    __slots__ = ()

    def call(self, name: str, count: int, *iterations: int) -> _Eval:  # noqa: ARG002 (as in every mode)
        """Eval itself."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _eval, ()

    def __repr__(self) -> str:
        return "Eval"


A_MODE: Final = "a mode, Train(seed=...), Sample(seed=...) or Eval"

_new = object.__new__
_set = object.__setattr__

Eval: Final = _Eval()


def _eval() -> _Eval:
    return Eval


def _mode_at(kind: type[Seeded], seed: int, path: str) -> Seeded:
    mode = kind(seed=seed)
    _set(mode, "path", path)
    return mode


def check_mode(value: Any, where: str, argument: str | None = None, function: str | None = None) -> None:
    """Checks that an argument is a mode.

    Raises KindError, which is a TypeError, if it isn't one.
    """
    if not isinstance(value, Mode):
        hint = f": write {plain_name(value)}(seed=...)" if value in (Train, Sample) else ""
        refuse_kind(kind_of(value) + hint, A_MODE, where, argument, function)
