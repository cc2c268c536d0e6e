"""What it costs to check the arguments of a function of three tensors, as causal attention takes them.

    python benchmarks/argument_checks.py

Times the checks that compiled ShapeScript makes against asserts written by hand, of rank, sizes, dtype and device, and
against jaxtyping with beartype, in turns. The functions do nothing else, and what calling a function costs at all is
taken off.

Exits 1 if the checks cost as much as the asserts, or a twentieth of jaxtyping's or more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from measuring.turns import Turns, take_turns
from torch import Tensor

import shapescript

D = 768
DEVICE = torch.device("cpu")
PROGRAM = """\
devices cpu
dim D = 768
fn causal_attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D] = x
"""

Checked = Callable[[Tensor, Tensor, Tensor], Any]


def asserts(x: Tensor, w_qkv: Tensor, w_o: Tensor) -> Tensor:
    assert x.ndim == 3
    assert x.shape[2] == D
    assert w_qkv.ndim == 2
    assert w_qkv.shape[0] == D
    assert w_qkv.shape[1] == 3 * D
    assert w_o.ndim == 2
    assert w_o.shape[0] == D
    assert w_o.shape[1] == D
    assert x.dtype == w_qkv.dtype == w_o.dtype == torch.float32
    assert x.device == w_qkv.device == w_o.device == DEVICE
    return x


Wide = Float[Tensor, "b n 768"]
Projection = Float[Tensor, "768 2304"]
Square = Float[Tensor, "768 768"]


# Without a type for the result, which would be one more check.
@jaxtyped(typechecker=beartype)
def jaxtyping(x: Wide, w_qkv: Projection, w_o: Square):  # type: ignore  # noqa: ARG001
    return x


def nothing(x: Tensor, w_qkv: Tensor, w_o: Tensor) -> Tensor:  # noqa: ARG001
    return x


def measure(checks: dict[str, Checked]) -> Turns:
    """The times of one call of each, without that of calling a function at all."""
    arguments = torch.zeros(2, 5, D), torch.zeros(D, 3 * D), torch.zeros(D, D)
    wrong = torch.zeros(2, 5, 72)
    for name, function in checks.items():
        try:
            function(wrong, *arguments[1:])
        except Exception:
            continue
        raise SystemExit(f"{name} takes an x of shape {tuple(wrong.shape)}")
    calls = {n: partial(f, *arguments) for n, f in {"nothing": nothing, **checks}.items()}
    return take_turns(calls, seconds=4, repeat=50).less("nothing")


def main() -> int:
    ours, by_hand, rival = "ShapeScript", "asserts by hand", "jaxtyping with beartype"
    compiled = shapescript.compile(PROGRAM, "attention.ss").causal_attention
    turns = measure({ours: compiled, by_hand: asserts, rival: jaxtyping})
    print("argument checks of (x: [b n D], w_qkv: [D 3*D], w_o: [D D]), per call\n")
    for name in turns.times:
        print(f"  {name:<24}{turns.microseconds(name):8.2f} µs{turns.ratio(name, ours):8.2f} x")
    cheap, cheaper = turns.ratio(by_hand, ours) > 1, turns.ratio(rival, ours) > 20
    print(f"\n  cheaper than asserts by hand: {'yes' if cheap else 'no'}")
    print(f"  20 times as cheap as jaxtyping with beartype: {'yes' if cheaper else 'no'}")
    return int(not (cheap and cheaper))


if __name__ == "__main__":
    sys.exit(main())
