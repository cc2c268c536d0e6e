"""Modes: whether a program trains, and which of a seed's draws each of its calls makes.

A training mode carries a path besides its seed. A call that passes it on adds a part, such as "forward#1" for the
second call of forward, and "forward@4.17#0" for the first one in an iteration of a loop inside a loop. A draw is
seeded with the seed and the path, so draws in different calls differ, and the same call draws the same again.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import torch

from .kinds import kind_of, refuse_kind
from .seeds import seeded, whole_seed


class Mode:
    """A mode: `Train(seed=...)`, or `Eval`."""

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


class Train(Mode):
    """The mode of training, whose random operations draw from a seed.

    Raises TypeError if the seed isn't an int.
    """

    __slots__ = ("path", "seed")

    seed: int
    path: str

    def __init__(self, *, seed: int) -> None:
        _set(self, "seed", whole_seed(seed, "Train"))
        _set(self, "path", "")

    def call(self, name: str, count: int, *iterations: int) -> Train:
        """The mode that a call passes on: of the same seed, and a path longer by one part."""
        label = f"{name}@{'.'.join(map(str, iterations))}#{count}" if iterations else f"{name}#{count}"
        mode = _new(Train)
        _set(mode, "seed", self.seed)
        _set(mode, "path", f"{self.path}/{label}" if self.path else label)
        return mode

    def generator(self, device: torch.device) -> torch.Generator:
        """A generator for the draw at this path. Made anew, it draws the same again."""
        return seeded(self.seed, self.path, device)

    def __reduce__(self) -> tuple[Any, ...]:
        return _train_at, (self.seed, self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Train) and (self.seed, self.path) == (other.seed, other.path)

    def __hash__(self) -> int:
        return hash((self.seed, self.path))

    def __repr__(self) -> str:
        return f"Train(seed={self.seed})" + (f" at {self.path}" if self.path else "")


class _Eval(Mode):
    """The mode of evaluation, whose random operations do nothing. There is one, `Eval`."""

    __slots__ = ()

    def call(self, name: str, count: int, *iterations: int) -> _Eval:  # noqa: ARG002 (as in every mode)
        """Eval itself."""
        return self

    def __reduce__(self) -> str:
        return "Eval"

    def __repr__(self) -> str:
        return "Eval"


_new = object.__new__
_set = object.__setattr__

Eval: Final = _Eval()


def _train_at(seed: int, path: str) -> Train:
    mode = Train(seed=seed)
    _set(mode, "path", path)
    return mode


def check_mode(value: Any, where: str, argument: str | None = None, function: str | None = None) -> None:
    """Checks that an argument is a mode.

    Raises KindError, which is a TypeError, if it isn't one.
    """
    if not isinstance(value, Mode):
        hint = ", which is a class: write Train(seed=...)" if value is Train else ""
        refuse_kind(kind_of(value) + hint, "a mode, Train(seed=...) or Eval", where, argument, function)
