"""Value checks in code that torch.compile compiles.

A check reads values, where tracing would have to stop. There it is one operation of the graph, which makes the
check when the compiled code runs, with the error that the check raises elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import torch

from .domains import Claim, make_now

_SCHEMA = (
    "check(Tensor x, str kind, float[] ends, bool[] flags, SymInt? size, str text, str where, "
    "str? argument, str? function) -> ()"
)


def record(
    x: torch.Tensor,
    kind: str,
    ends: Sequence[float],
    flags: Sequence[bool],
    size: int | None,
    claim: Claim,
) -> None:
    """Puts a check into the graph that is being traced; its arguments are those of `domains.make_now`."""
    _CHECK(x.detach(), kind, list(ends), list(flags), size, *claim)


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
    _CHECK(x if in_dims[0] is None else x.movedim(in_dims[0], 0), *rest)
    return None, None


def _registered() -> tuple[torch.library.Library, Any]:
    """The operation, with the library that keeps it.

    A module that was built to stand alone has checks, and so an operation, of its own.
    """
    names = ("shapescript" if n == 0 else f"shapescript_{n}" for n in count())
    name = next(n for n in names if not hasattr(getattr(torch.ops, n), "check"))
    library = torch.library.Library(name, "FRAGMENT")
    library.define(_SCHEMA)
    library.impl("check", _made, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{name}::check", _traced, lib=library)
    torch.library.register_vmap(f"{name}::check", _of_elements, lib=library)
    operation = getattr(torch.ops, name).check
    # Nothing depends on its result, and yet it has to stay.
    torch.fx.node.has_side_effect(operation.default)
    return library, operation


_LIBRARY, _CHECK = _registered()
