"""What scans are made of: how the elements of an associative operation are put together, and the scan over them.

Pairs of neighbours are put together, the half as many that come of it are scanned, and each element that was the
first of its pair is then applied to the result before it (Blelloch, "Prefix sums and their applications", 1990). That
is about twice the work of a loop, in large tensor operations instead of many small ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

Parts = tuple[torch.Tensor, ...]
"""Elements, or results: tensors whose first axis is the one that is scanned."""


class Steps(ABC):
    """How elements are put together."""

    kind: str
    state = 0
    """What `start` starts from, where it is a number."""

    @abstractmethod
    def join(self, later: Parts, earlier: Parts) -> Parts:
        """The elements that do what `earlier` does and then what `later` does."""

    @abstractmethod
    def apply(self, element: Parts, result: Parts) -> Parts:
        """The results after elements, from those before them."""

    @abstractmethod
    def start(self, element: Parts) -> Parts:
        """The results after elements that nothing comes before."""


def scanned(steps: Steps, x: Parts, reverse: bool) -> Parts:
    """The results after each element along the first axis, or from each one to the last if `reverse`."""
    size = x[0].shape[0]
    if size <= 1:
        return steps.start(x)
    odd = size % 2
    # Pairs end where the direction ends them: at 1, 3, ..., or, from the end, at ..., size - 4, size - 2.
    second = take(x, slice(odd if reverse else 1, None, 2))
    first = take(x, slice(1 - odd if reverse else 0, None, 2))
    pairs, alone = second[0].shape[0], first[0].shape[0] - second[0].shape[0]
    done = scanned(
        steps, steps.join(second, take(first, slice(alone, None) if reverse else slice(pairs))), reverse
    )
    rest = pairs + alone - 1
    if reverse:
        start = steps.start(take(first, slice(rest, None)))
        others = steps.apply(take(first, slice(rest)), take(done, slice(pairs - rest, None)))
        places = (slice(size - 1, None), slice(1 - odd, size - 1, 2), slice(odd, None, 2))
    else:
        start = steps.start(take(first, slice(1)))
        others = steps.apply(take(first, slice(1, None)), take(done, slice(rest)))
        places = (slice(1), slice(2, None, 2), slice(1, None, 2))
    results = []
    for parts in zip(start, others, done, strict=True):
        whole = parts[2].new_empty((size, *parts[2].shape[1:]))
        for place, part in zip(places, parts, strict=True):
            whole[place] = part
        results.append(whole)
    return tuple(results)


def take(x: Parts, along: slice) -> Parts:
    return tuple(part[along] for part in x)


# --- h[t] = a[t] h[t-1] + b[t] -----------------------------------------------------------------------------


class Products(Steps):
    """Elements (a, b), of numbers."""

    kind = "numbers"

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return later[0] * earlier[0], torch.addcmul(later[1], later[0], earlier[1])

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (torch.addcmul(element[1], element[0], result[0]),)

    def start(self, element: Parts) -> Parts:
        return (element[1],)


class MatrixProducts(Steps):
    """Elements (a, b), of matrices."""

    kind = "matrices"

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return later[0] @ earlier[0], later[0] @ earlier[1] + later[1]

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (element[0] @ result[0] + element[1],)

    def start(self, element: Parts) -> Parts:
        return (element[1],)


def backwards(a: torch.Tensor, grad: torch.Tensor, matrices: bool, reverse: bool) -> tuple[Any, ...]:
    """The recurrence, of what reaches each h, that is a recurrence's gradient."""
    following = shifted(a, not reverse)
    return following.mT if matrices else following, grad, matrices, not reverse


def of_factors(g: torch.Tensor, h: torch.Tensor, matrices: bool, reverse: bool) -> torch.Tensor:
    """The gradient of a, from what reaches each h."""
    before = shifted(h, reverse)
    return g @ before.mT if matrices else g * before


def shifted(x: torch.Tensor, down: bool) -> torch.Tensor:
    """Each position's next value along the first axis, or the one before it; 0 where there is none."""
    if x.shape[0] == 0:
        return x
    nothing = torch.zeros_like(x[:1])
    return torch.cat((x[1:], nothing)) if down else torch.cat((nothing, x[:-1]))


# --- matrices that are kept with the logs of their scales --------------------------------------------------


class ScaledProducts(Steps):
    """Elements (a, log of what a is to be multiplied by), of matrices."""

    kind = "scaled products"

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return rescaled(later[0] @ earlier[0], later[1] + earlier[1])

    def apply(self, element: Parts, result: Parts) -> Parts:
        return self.join(element, result)

    def start(self, element: Parts) -> Parts:
        return element


class ScaledSteps(Steps):
    """Elements (a, its log scale, b, its log scale), and results (h, its log scale)."""

    kind = "scaled steps"

    def join(self, later: Parts, earlier: Parts) -> Parts:
        product = rescaled(later[0] @ earlier[0], later[1] + earlier[1])
        return *product, *self.apply(later, earlier[2:])

    def apply(self, element: Parts, result: Parts) -> Parts:
        a, a_scale, b, b_scale = element
        moved, scale = a_scale + result[1], torch.maximum(a_scale + result[1], b_scale)
        return rescaled((a @ result[0]) * (moved - scale).exp() + b * (b_scale - scale).exp(), scale)

    def start(self, element: Parts) -> Parts:
        return element[2:]


def rescaled(x: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Matrices with 1 as their largest magnitude, and the log of what they are to be multiplied by.

    Zeros stay as they are.
    """
    size = largest(x)
    nonzero = torch.where(size > 0, size, 1.0)
    return x / nonzero, scale + nonzero.log()


def largest(x: torch.Tensor) -> torch.Tensor:
    return x.abs().amax((-2, -1), keepdim=True)


# --- automata ----------------------------------------------------------------------------------------------


class Maps(Steps):
    """Elements are tables from each state to the one after it, along the last axis."""

    kind = "maps"

    def __init__(self, state: int) -> None:
        self.state = state

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return (later[0].gather(-1, earlier[0]),)

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (element[0].gather(-1, result[0]),)

    def start(self, element: Parts) -> Parts:
        return (element[0].narrow(-1, self.state, 1),)
