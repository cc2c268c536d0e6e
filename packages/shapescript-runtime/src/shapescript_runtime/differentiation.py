"""`gradient`: derivatives with respect to a value of the function that takes them.

Such a function records what it computes, whatever its caller has switched off, and what it differentiates by is part of
a graph from where it is bound. `again` says whether the caller's own gradients are to go through what comes of it.
"""

from __future__ import annotations

from typing import TypeVar

import torch

T = TypeVar("T")


def tracked(x: torch.Tensor, again: bool) -> torch.Tensor:
    """Returns a value that can be differentiated by: x itself where a graph has it, and a leaf of its values elsewhere.

    If nothing is differentiated again it is always a leaf, so that steps that build on each other keep no graph.
    """
    if again and x.requires_grad:
        return x
    leaf = x.clone() if x.is_inference() else x.detach()
    return leaf.requires_grad_()


def gradient(y: torch.Tensor, x: torch.Tensor, again: bool) -> torch.Tensor:
    """Returns the gradient of y, a [] tensor, with respect to x, which y is computed from: torch.autograd.grad.

    Arguments:
        again: whether the gradient is itself part of a graph.

    Raises RuntimeError if y isn't computed from x, or through something that has no derivative.
    """
    found = None
    if y.requires_grad:
        (found,) = torch.autograd.grad(y, x, create_graph=again, retain_graph=True, allow_unused=True)
    if found is None:
        raise RuntimeError("gradient takes a value that is computed from the one it differentiates by")
    return found


def released(value: T, again: bool) -> T:
    """Returns what a function that takes gradients gives back, in no graph if nothing is differentiated again."""
    if again:
        return value
    if isinstance(value, torch.Tensor):
        return value.detach()  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(released(each, again) for each in value)  # type: ignore[return-value]
    return value
