"""Value checks in code that torch.compile compiles.

A check reads values, where tracing would have to stop. There it is one operation of the graph, which makes the
check when the compiled code runs, with the error that the check raises elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .domains import Claim, make_now

_LIBRARY = torch.library.Library("shapescript", "FRAGMENT")
_LIBRARY.define(
    "check(Tensor x, str kind, float[] ends, bool[] flags, SymInt? size, str text, str where, "
    "str? argument, str? function) -> ()"
)
_OPERATION = torch.ops.shapescript.check
# Nothing depends on its result, and yet it has to stay.
torch.fx.node.has_side_effect(_OPERATION.default)


def record(
    x: torch.Tensor,
    kind: str,
    ends: Sequence[float],
    flags: Sequence[bool],
    size: int | None,
    claim: Claim,
) -> None:
    """Puts a check into the graph that is being traced; its arguments are those of `domains.make_now`."""
    _OPERATION(x.detach(), kind, list(ends), list(flags), size, *claim)


def _made(
    x: torch.Tensor, kind: str, ends: list[float], flags: list[bool], size: int | None, *claim: Any
) -> None:
    make_now(kind, x, Claim(*claim), ends, flags, size)


def _traced(*_arguments: Any) -> None:
    """There are no values yet."""


def _of_elements(
    _info: Any, in_dims: tuple[int | None, ...], x: torch.Tensor, *rest: Any
) -> tuple[None, None]:
    """The elements of a torch.vmap are checked together, along an axis in front."""
    _OPERATION(x if in_dims[0] is None else x.movedim(in_dims[0], 0), *rest)
    return None, None


_LIBRARY.impl("check", _made, "CompositeExplicitAutograd")
torch.library.register_fake("shapescript::check", _traced, lib=_LIBRARY)
torch.library.register_vmap("shapescript::check", _of_elements, lib=_LIBRARY)
