"""Whether a tensor's values can be read here and now, and how to get at them."""

from __future__ import annotations

import torch

# torch.vmap and the transforms of torch.func wrap tensors. What tells and unwraps them has no public name.
_functorch = torch._C._functorch


def wrapped(x: torch.Tensor) -> bool:
    """Whether x stands for the elements of a torch.vmap, or is in another transform of torch.func."""
    # Asked first because torch.compile knows the answer to it, and has to break its graph for the other.
    return torch._C._are_functorch_transforms_active() and _functorch.is_functorch_wrapped_tensor(x)


def unwrapped(x: torch.Tensor) -> torch.Tensor:
    """The plain tensor behind x, detached, the elements of a torch.vmap along an axis in front of x's own."""
    x = x.detach()
    while wrapped(x):
        if _functorch.is_batchedtensor(x):
            x = _functorch.get_unwrapped(x).movedim(_functorch.maybe_get_bdim(x), 0)
        else:
            x = _functorch.get_unwrapped(x)
    return x


def has_values(x: torch.Tensor) -> bool:
    """Whether Python can read x's numbers: not while torch.export traces, nor of a fake or meta tensor."""
    if torch.compiler.is_exporting() or x.is_meta:
        return False
    # A fake tensor claims the device it stands for. Compared by name: importing its class is slow.
    return type(x).__name__ not in ("FakeTensor", "FunctionalTensor")
