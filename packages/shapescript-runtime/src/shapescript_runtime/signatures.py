"""Signatures as the argument checks see them: built when a generated module loads, read when one fails."""

from __future__ import annotations

from typing import NamedTuple


class AxisSpec(NamedTuple):
    """One axis of a parameter: its text, and its size, constant + sum of coefficient * product of names.

    With dim D = 768 and dim Dh = 64, `D` is AxisSpec("D", 768), `n` is AxisSpec("n", 0, ((1, ("n",)),)),
    `n+1` is AxisSpec("n+1", 1, ((1, ("n",)),)), and `(h Dh)` is AxisSpec("(h Dh)", 0, ((64, ("h",)),)).
    """

    text: str
    constant: int
    terms: tuple[tuple[int, tuple[str, ...]], ...] = ()


class Parameter(NamedTuple):
    """A parameter with a shape: its name and "file.ss:line:col", its type as written, and its axes."""

    name: str
    location: str
    text: str
    axes: tuple[AxisSpec, ...]


class Signature(NamedTuple):
    """A function as its argument checks see it.

    Arguments:
        name: the function's name, for messages.
        parameters: the parameters that have a shape, in order.
        dims: the dims of the file, by name and size. Messages give the sizes of those a type names.
    """

    name: str
    parameters: tuple[Parameter, ...]
    dims: tuple[tuple[str, int], ...] = ()
