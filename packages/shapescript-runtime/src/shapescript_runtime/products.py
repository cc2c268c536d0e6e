"""Matrix products of 16-bit floats that keep the f32 they are added up in."""

from __future__ import annotations

import math
from typing import Any

import torch

from .reading import wrapped

_HALVES = (torch.float16, torch.bfloat16)


def matmul_f32(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Returns x @ y in f32, where the same product in the operands' own dtype would round each sum to it.

    On CUDA the tensor cores write out the sums that they have in f32 anyway, at the speed of a 16-bit product. There,
    as in any 16-bit product, the gradients of the operands are products in 16 bits.
    """
    if not _has_kernels(x, y):
        return x.to(torch.float32) @ y.to(torch.float32)
    row, column = x.dim() == 1, y.dim() == 1
    x = x.unsqueeze(0) if row else x
    y = y.unsqueeze(1) if column else y
    differentiated = torch.is_grad_enabled() and (x.requires_grad or y.requires_grad)
    result = _KeptSums.apply(x, y) if differentiated else _kept_sums(x, y)
    result = result.squeeze(-1) if column else result
    return result.squeeze(-2 if not column else -1) if row else result


def _has_kernels(x: torch.Tensor, y: torch.Tensor) -> bool:
    return x.dtype in _HALVES and x.is_cuda and y.is_cuda and not wrapped(x) and not wrapped(y)


def _kept_sums(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The product of two tensors with two axes or more each."""
    rows, columns = x.shape[-2], y.shape[-1]
    if y.dim() == 2:
        product = _mm(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]), y)
        return product.reshape(*x.shape[:-1], columns)
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    left = x.expand(*batch, *x.shape[-2:]).reshape(math.prod(batch), *x.shape[-2:])
    right = y.expand(*batch, *y.shape[-2:]).reshape(math.prod(batch), *y.shape[-2:])
    return _bmm(left, right).reshape(*batch, rows, columns)


def _mm(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.mm(x, y, out_dtype=torch.float32)


def _bmm(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.bmm(x, y, out_dtype=torch.float32)


class _KeptSums(torch.autograd.Function):
    """torch has no gradient of its own for products with another dtype than their operands'."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return _kept_sums(x, y)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        x, y = ctx.saved_tensors
        grad = grad.to(x.dtype)
        of_x = (grad @ y.mT).sum_to_size(x.shape) if ctx.needs_input_grad[0] else None
        if not ctx.needs_input_grad[1]:
            return of_x, None
        if y.dim() == 2:
            return of_x, x.flatten(0, -2).mT @ grad.flatten(0, -2)
        return of_x, (x.mT @ grad).sum_to_size(y.shape)
