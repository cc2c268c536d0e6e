"""Recurrences along an axis, in a number of steps that grows with the logarithm of its length.

What each step does is an element of something associative: `h -> a h + b`, or a table from states to states. Pairs of
neighbours are put together, the half as many that come of it are scanned, and each element that was the first of its
pair is then applied to the result before it (Blelloch, "Prefix sums and their applications", 1990). That is about twice
the work of a loop, in large tensor operations instead of many small ones.

Products of many `a` are computed where a loop would multiply its state by each. Where such a product is infinite, the
result may be NaN though the state is small or 0; `matrix_scan(projective=True)` keeps clear of that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch

from .errors import ShapeError

_HALVES = (torch.float16, torch.bfloat16)

Parts = tuple[torch.Tensor, ...]
"""Elements, or results: tensors whose first axis is the one that is scanned."""


class _Steps(ABC):
    """How elements are put together."""

    @abstractmethod
    def join(self, later: Parts, earlier: Parts) -> Parts:
        """The elements that do what `earlier` does and then what `later` does."""

    @abstractmethod
    def apply(self, element: Parts, result: Parts) -> Parts:
        """The results after elements, from those before them."""

    @abstractmethod
    def start(self, element: Parts) -> Parts:
        """The results after elements that nothing comes before."""


def _scan(steps: _Steps, x: Parts, reverse: bool) -> Parts:
    """The results after each element along the first axis, or from each one to the last if `reverse`."""
    size = x[0].shape[0]
    if size <= 1:
        return steps.start(x)
    odd = size % 2
    # Pairs end where the direction ends them: at 1, 3, ..., or, from the end, at ..., size - 4, size - 2.
    second = _take(x, slice(odd if reverse else 1, None, 2))
    first = _take(x, slice(1 - odd if reverse else 0, None, 2))
    pairs, alone = second[0].shape[0], first[0].shape[0] - second[0].shape[0]
    done = _scan(
        steps, steps.join(second, _take(first, slice(alone, None) if reverse else slice(pairs))), reverse
    )
    rest = pairs + alone - 1
    if reverse:
        start = steps.start(_take(first, slice(rest, None)))
        others = steps.apply(_take(first, slice(rest)), _take(done, slice(pairs - rest, None)))
        places = (slice(size - 1, None), slice(1 - odd, size - 1, 2), slice(odd, None, 2))
    else:
        start = steps.start(_take(first, slice(1)))
        others = steps.apply(_take(first, slice(1, None)), _take(done, slice(rest)))
        places = (slice(1), slice(2, None, 2), slice(1, None, 2))
    results = []
    for parts in zip(start, others, done, strict=True):
        whole = parts[2].new_empty((size, *parts[2].shape[1:]))
        for place, part in zip(places, parts, strict=True):
            whole[place] = part
        results.append(whole)
    return tuple(results)


def _take(x: Parts, along: slice) -> Parts:
    return tuple(part[along] for part in x)


# --- h[t] = a[t] h[t-1] + b[t] -----------------------------------------------------------------------------


class _Products(_Steps):
    """Elements (a, b), of numbers."""

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return later[0] * earlier[0], torch.addcmul(later[1], later[0], earlier[1])

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (torch.addcmul(element[1], element[0], result[0]),)

    def start(self, element: Parts) -> Parts:
        return (element[1],)


class _MatrixProducts(_Steps):
    """Elements (a, b), of matrices."""

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return later[0] @ earlier[0], later[0] @ earlier[1] + later[1]

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (element[0] @ result[0] + element[1],)

    def start(self, element: Parts) -> Parts:
        return (element[1],)


class _Recurrence(torch.autograd.Function):
    """The states h of the recurrence along the first axis. Its gradient is a recurrence the other way."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: torch.Tensor, b: torch.Tensor, matrices: bool, reverse: bool) -> torch.Tensor:
        (h,) = _scan(_MatrixProducts() if matrices else _Products(), (a, b), reverse)
        # A result that is b itself, of an axis of one, would be taken for b changed in place.
        return h.clone() if a.shape[0] <= 1 else h

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        a, _, ctx.matrices, ctx.reverse = inputs
        ctx.save_for_backward(a, output)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        a, h = ctx.saved_tensors
        # What reaches h[t]: its own gradient, and through h[t + 1] that of all that come after it.
        following = _shifted(a, not ctx.reverse)
        if ctx.matrices:
            following = following.mT
        g = _Recurrence.apply(following, grad, ctx.matrices, not ctx.reverse)
        if not ctx.needs_input_grad[0]:
            return None, g, None, None
        before = _shifted(h, ctx.reverse)
        return g @ before.mT if ctx.matrices else g * before, g, None, None


def _shifted(x: torch.Tensor, down: bool) -> torch.Tensor:
    """Each position's next value along the first axis, or the one before it; 0 where there is none."""
    if x.shape[0] == 0:
        return x
    nothing = torch.zeros_like(x[:1])
    return torch.cat((x[1:], nothing)) if down else torch.cat((nothing, x[:-1]))


def linear_scan(a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool = False) -> torch.Tensor:
    """Returns h[t] = a[t] h[t-1] + b[t] along an axis, from h = 0, so that h[0] = b[0].

    16-bit floats are computed in f32. It can be differentiated any number of times.

    Arguments:
        a, b: floats of one dtype, broadcast to one shape.
        dim: the axis, of that shape.
        reverse: whether it runs from the end.
    """
    a, b = torch.broadcast_tensors(a, b)
    return _recurrence(a, b, dim, False, reverse)


def matrix_scan(
    a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool = False, projective: bool = False
) -> torch.Tensor:
    """Returns h[t] = a[t] @ h[t-1] + b[t] along an axis, from h = 0, so that h[0] = b[0].

    16-bit floats are computed in f32. It can be differentiated any number of times, unless it is projective.

    Arguments:
        a, b: matrices [... n n] and [... n m] of one dtype, whose leading axes are broadcast to one shape.
        dim: the axis, of that shape, counted from the first one.
        reverse: whether it runs from the end.
        projective: whether, after each step, h is divided by the largest magnitude in the running product of a (which
            starts with the identity), and that product too, so that neither overflows.

    Raises ShapeError if the matrices don't fit.
    """
    if a.dim() < 3 or b.dim() < 3 or a.shape[-1] != a.shape[-2] or a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"matrix_scan takes [... n n] and [... n m], not {tuple(a.shape)} and {tuple(b.shape)}"
        )
    leading = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = a.expand(*leading, *a.shape[-2:]), b.expand(*leading, *b.shape[-2:])
    if projective:
        return _ProjectiveScan.apply(a, b, dim, reverse)
    return _recurrence(a, b, dim, True, reverse)


def _recurrence(a: torch.Tensor, b: torch.Tensor, dim: int, matrices: bool, reverse: bool) -> torch.Tensor:
    dtype = b.dtype
    if dtype in _HALVES:
        a, b = a.to(torch.float32), b.to(torch.float32)
    h = _Recurrence.apply(a.movedim(dim, 0), b.movedim(dim, 0), matrices, reverse)
    return h.movedim(0, dim).to(dtype)


# --- products of projective maps ---------------------------------------------------------------------------


class _ScaledProducts(_Steps):
    """Elements (a, log of what a is to be multiplied by), of matrices."""

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return _rescaled(later[0] @ earlier[0], later[1] + earlier[1])

    def apply(self, element: Parts, result: Parts) -> Parts:
        return self.join(element, result)

    def start(self, element: Parts) -> Parts:
        return element


class _ScaledSteps(_Steps):
    """Elements (a, its log scale, b, its log scale), and results (h, its log scale)."""

    def join(self, later: Parts, earlier: Parts) -> Parts:
        product = _rescaled(later[0] @ earlier[0], later[1] + earlier[1])
        return *product, *self.apply(later, earlier[2:])

    def apply(self, element: Parts, result: Parts) -> Parts:
        a, a_scale, b, b_scale = element
        moved, scale = a_scale + result[1], torch.maximum(a_scale + result[1], b_scale)
        return _rescaled((a @ result[0]) * (moved - scale).exp() + b * (b_scale - scale).exp(), scale)

    def start(self, element: Parts) -> Parts:
        return element[2:]


def _rescaled(x: torch.Tensor, scale: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Matrices with 1 as their largest magnitude, and the log of what they are to be multiplied by.

    Zeros stay as they are.
    """
    largest = _largest(x)
    nonzero = torch.where(largest > 0, largest, 1.0)
    return x / nonzero, scale + nonzero.log()


def _largest(x: torch.Tensor) -> torch.Tensor:
    return x.abs().amax((-2, -1), keepdim=True)


class _ProjectiveScan(torch.autograd.Function):
    """`matrix_scan` with projective. It refuses to be differentiated, rather than giving no gradient."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
        return _projective(a, b, dim, reverse)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:  # noqa: ARG004 (as in every Function)
        raise RuntimeError("a projective matrix_scan has no gradient")


def _projective(a: torch.Tensor, b: torch.Tensor, dim: int, reverse: bool) -> torch.Tensor:
    """What was divided by up to a step is the largest magnitude of the product of a up to it, M[t], so that

        h[t] = sum over s <= t of a[t] ... a[s + 1] b[s] M[s - 1] / M[t],

    a recurrence without divisions but for the last, over numbers that are kept with the logs of their scales.
    """
    dtype = b.dtype
    x, y = a.movedim(dim, 0), b.movedim(dim, 0)
    if dtype in _HALVES:
        x, y = x.to(torch.float32), y.to(torch.float32)
    if x.numel() == 0 or y.numel() == 0:
        return b.clone()
    a_scaled = _rescaled(x, torch.zeros_like(x[..., :1, :1]))
    product, scale = _scan(_ScaledProducts(), a_scaled, reverse)
    magnitude = _largest(product).log() + scale
    before = _shifted(magnitude, reverse)
    h, h_scale = _scan(_ScaledSteps(), (*a_scaled, *_rescaled(y, before)), reverse)
    return (h * (h_scale - magnitude).exp()).movedim(0, dim).to(dtype)


# --- automata ----------------------------------------------------------------------------------------------


class _Maps(_Steps):
    """Elements are tables from each state to the one after it, along the last axis."""

    def __init__(self, state: int) -> None:
        self.state = state

    def join(self, later: Parts, earlier: Parts) -> Parts:
        return (later[0].gather(-1, earlier[0]),)

    def apply(self, element: Parts, result: Parts) -> Parts:
        return (element[0].gather(-1, result[0]),)

    def start(self, element: Parts) -> Parts:
        return (element[0].narrow(-1, self.state, 1),)


def table_scan(table: torch.Tensor, symbols: torch.Tensor, dim: int, start: int = 0) -> torch.Tensor:
    """Returns the states h[t] = table[h[t-1], symbols[t]] of an automaton along an axis, as i64.

    It keeps a table of all states for each symbol, so it takes as much memory as there are symbols and states together.

    Arguments:
        table: the state after each state and symbol, [states symbols].
        symbols: what the automaton reads.
        dim: the axis along which it reads them.
        start: the state it starts in.

    Raises:
        ShapeError: the table isn't a matrix, or `start` isn't one of its states.
        IndexError: a symbol, or a state in the table, is none of the table's, as torch says it.
    """
    if table.dim() != 2:
        raise ShapeError(f"table_scan takes a table [states symbols], not {tuple(table.shape)}")
    if not 0 <= start < table.shape[0]:
        raise ShapeError(f"table_scan starts in one of the table's {table.shape[0]} states, not in {start}")
    symbols = symbols.to(torch.int64)
    if symbols.numel() == 0:
        return symbols.clone()
    # Taken from all states, so that an entry that is none of them is refused wherever it would be read.
    table = (
        torch.arange(table.shape[0], device=table.device).index_select(0, table.flatten()).view(table.shape)
    )
    read = symbols.movedim(dim, 0)
    maps = table.mT.index_select(0, read.flatten()).view(*read.shape, table.shape[0])
    (states,) = _scan(_Maps(start), (maps,), False)
    return states.squeeze(-1).movedim(0, dim)
