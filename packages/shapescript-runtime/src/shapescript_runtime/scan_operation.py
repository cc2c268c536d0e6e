"""Scans as torch.compile sees them: one operation, which serves every length.

Traced step by step, a scan would be compiled anew for each length, in a minute and more, to run little faster. What
torch.export makes has to run without this package, so there they are traced.
"""

from __future__ import annotations

from typing import Any

import torch

from .scan_steps import (
    Maps,
    MatrixProducts,
    Parts,
    Products,
    ScaledProducts,
    ScaledSteps,
    Steps,
    backwards,
    of_factors,
    scanned,
)


def scan(steps: Steps, x: Parts, reverse: bool) -> Parts:
    """The results after each element along the first axis, or from each one to the last if `reverse`."""
    if torch.compiler.is_compiling() and not torch.compiler.is_exporting():
        return tuple(_SCAN(list(x), steps.kind, reverse, steps.state))
    return scanned(steps, x, reverse)


def _steps(kind: str, state: int) -> Steps:
    if kind == Maps.kind:
        return Maps(state)
    return next(s for s in (Products(), MatrixProducts(), ScaledProducts(), ScaledSteps()) if s.kind == kind)


def _run(x: Any, kind: str, reverse: bool, state: int) -> list[torch.Tensor]:
    steps = _steps(kind, state)
    results = scanned(steps, tuple(x), reverse)
    # What an operation gives is none of its arguments, nor a part of one.
    return [r.clone(memory_format=torch.contiguous_format) if r.shape[0] <= 1 else r for r in results]


def _shapes(x: Any, kind: str, reverse: bool, state: int) -> list[torch.Tensor]:  # noqa: ARG001 (as in _run)
    return [part.new_empty(part.shape) for part in _steps(kind, state).start(tuple(x))]


def _batched(
    info: Any, axes: Any, x: Any, kind: str, reverse: bool, state: int
) -> tuple[list[torch.Tensor], list[int]]:
    """The results where some of the parts have one more axis, at their places in `axes`, for torch.vmap."""
    parts = [
        part.unsqueeze(1).expand(part.shape[0], info.batch_size, *part.shape[1:])
        if axis is None
        else part.movedim(axis, 1)
        for part, axis in zip(x, axes[0], strict=True)
    ]
    results = _SCAN(parts, kind, reverse, state)
    return results, [1] * len(results)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: list[torch.Tensor]) -> None:
    x, ctx.kind, ctx.reverse, _ = inputs
    if ctx.kind in (Products.kind, MatrixProducts.kind):
        ctx.save_for_backward(x[0], output[0])


def _derive(ctx: Any, grads: list[torch.Tensor]) -> tuple[Any, ...]:
    """The gradients where torch.compile has gone into `_Recurrence`, as it does inside of torch.vmap."""
    if not ctx.saved_tensors:
        raise RuntimeError("this scan has no gradient")
    (a, h), matrices = ctx.saved_tensors, ctx.kind == MatrixProducts.kind
    *x, _, reverse = backwards(a, grads[0], matrices, ctx.reverse)
    (g,) = _SCAN(x, ctx.kind, reverse, 0)
    return [of_factors(g, h, matrices, ctx.reverse), g], None, None, None


def _operation() -> Any:
    operation = torch.library.custom_op(
        "shapescript::scan",
        _run,
        mutates_args=(),
        schema="(Tensor[] x, str kind, bool reverse, int state) -> Tensor[]",
    )
    operation.register_fake(_shapes)
    operation.register_vmap(_batched)
    operation.register_autograd(_derive, setup_context=_keep)
    return operation


_SCAN = _operation()
