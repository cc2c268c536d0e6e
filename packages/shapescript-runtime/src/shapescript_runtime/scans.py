"""Recurrences along an axis, in a number of steps that grows with the logarithm of its length.

What each step does is an element of something associative, `h -> a h + b` or a table from states to states: see
scan_steps.py for how they are put together, and scan_operation.py for what torch.compile sees.

Products of many `a` are computed where a loop would multiply its state by each. Where such a product is infinite, the
result may be NaN though the state is small or 0; `matrix_scan(projective=True)` keeps clear of that.
"""

from __future__ import annotations

from typing import Any

import torch

from .errors import ShapeError
from .scan_operation import scan
from .scan_steps import (
    Maps,
    MatrixProducts,
    Products,
    ScaledProducts,
    ScaledSteps,
    backwards,
    largest,
    of_factors,
    rescaled,
    shifted,
)

_HALVES = (torch.float16, torch.bfloat16)


# --- h[t] = a[t] h[t-1] + b[t] -----------------------------------------------------------------------------


class _Recurrence(torch.autograd.Function):
    """The states h of the recurrence along the first axis. Its gradient is a recurrence the other way."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a: torch.Tensor, b: torch.Tensor, matrices: bool, reverse: bool) -> torch.Tensor:
        (h,) = scan(MatrixProducts() if matrices else Products(), (a, b), reverse)
        # A result that is b itself, of an axis of one, would be taken for b changed in place.
        return h.clone() if h is b else h

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        a, _, ctx.matrices, ctx.reverse = inputs
        ctx.save_for_backward(a, output)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        a, h = ctx.saved_tensors
        # What reaches h[t]: its own gradient, and through h[t + 1] that of all that come after it.
        g = _states(*backwards(a, grad, ctx.matrices, ctx.reverse))
        return of_factors(g, h, ctx.matrices, ctx.reverse) if ctx.needs_input_grad[0] else None, g, None, None


class _ForwardRecurrence(_Recurrence):
    """With forward derivatives, which torch.compile takes no function with."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        _Recurrence.setup_context(ctx, inputs, output)
        ctx.save_for_forward(inputs[0], output)

    @staticmethod
    def jvp(ctx: Any, a_change: torch.Tensor, b_change: torch.Tensor, *_: None) -> torch.Tensor:
        a, h = ctx.saved_tensors
        before = shifted(h, ctx.reverse)
        pushed = b_change + (a_change @ before if ctx.matrices else a_change * before)
        return _states(a, pushed, ctx.matrices, ctx.reverse)


def _states(a: torch.Tensor, b: torch.Tensor, matrices: bool, reverse: bool) -> torch.Tensor:
    recurrence = _Recurrence if torch.compiler.is_compiling() else _ForwardRecurrence
    return recurrence.apply(a, b, matrices, reverse)


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
    h = _states(a.movedim(dim, 0), b.movedim(dim, 0), matrices, reverse)
    return h.movedim(0, dim).to(dtype)


# --- products of projective maps ---------------------------------------------------------------------------


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
    a_scaled = rescaled(x, torch.zeros_like(x[..., :1, :1]))
    product, scale = scan(ScaledProducts(), a_scaled, reverse)
    magnitude = largest(product).log() + scale
    before = shifted(magnitude, reverse)
    h, h_scale = scan(ScaledSteps(), (*a_scaled, *rescaled(y, before)), reverse)
    return (h * (h_scale - magnitude).exp()).movedim(0, dim).to(dtype)


# --- automata ----------------------------------------------------------------------------------------------


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
    (states,) = scan(Maps(start), (maps,), False)
    return states.squeeze(-1).movedim(0, dim)
