"""What it costs to check the arguments of a function of three tensors, as causal attention takes them.

    python benchmarks/argument_checks.py

Times the checks that compiled ShapeScript makes against asserts written by hand, of rank, sizes, dtype and
device, and against jaxtyping with beartype. The functions do nothing else. One run times them in turns, so
that a busy machine slows all of them, and each figure is the median of the turns.

Exits 1 if the checks cost as much as the asserts, or a twentieth of jaxtyping's or more.
"""

from __future__ import annotations

import statistics
import sys
import timeit
from collections.abc import Callable
from typing import Any

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

import shapescript_runtime as rt

ROUNDS = 60
CALLS = 500

D = 768
DEVICE = torch.device("cpu")

Checked = Callable[[Tensor, Tensor, Tensor], Any]


# What the compiler makes of a file with `dim D = 768` and
# `fn causal_attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D] = x`.
GENERATED = """
import shapescript_runtime as _ss_rt

_ss_b = _ss_rt.AxisSpec("b", 0, ((1, ("b",)),))
_ss_n = _ss_rt.AxisSpec("n", 0, ((1, ("n",)),))
_ss_D = _ss_rt.AxisSpec("D", 768)
_ss_signature_causal_attention = _ss_rt.Signature(
    "causal_attention",
    (
        _ss_rt.Parameter("x", "attention.ss:2:21", "[b n D]", (_ss_b, _ss_n, _ss_D)),
        _ss_rt.Parameter("w_qkv", "attention.ss:2:33", "[D 3*D]", (_ss_D, _ss_rt.AxisSpec("3*D", 2304))),
        _ss_rt.Parameter("w_o", "attention.ss:2:49", "[D D]", (_ss_D, _ss_D)),
    ),
    (("D", 768),),
)

def causal_attention(x, w_qkv, w_o):
    _ss_device = _ss_rt.device()
    try:
        b, n, _ss_1 = x.shape
        _ss_ok = (
            _ss_1 == 768
            and w_qkv.shape == (768, 2304)
            and w_o.shape == (768, 768)
            and x.device == w_qkv.device == w_o.device == _ss_device
        )
    except (AttributeError, TypeError, ValueError):
        _ss_ok = False
    if not _ss_ok:
        _ss_rt.refuse_arguments(_ss_signature_causal_attention, x, w_qkv, w_o)
    return x
"""


def compiled() -> Checked:
    """The compiled function."""
    module: dict[str, Any] = {}
    exec(compile(GENERATED, "attention.ss", "exec"), module)
    return module["causal_attention"]


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


def measure(checks: dict[str, Checked]) -> dict[str, float]:
    """The time of one call of each, in microseconds, without that of calling a function at all."""
    arguments = torch.zeros(2, 5, D), torch.zeros(D, 3 * D), torch.zeros(D, D)
    wrong = torch.zeros(2, 5, 72)
    for name, function in checks.items():
        try:
            function(wrong, *arguments[1:])
        except Exception:
            continue
        raise SystemExit(f"{name} takes an x of shape {tuple(wrong.shape)}")
    timed = {"nothing": nothing, **checks}
    times: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(ROUNDS):
        for name, function in timed.items():
            seconds = timeit.timeit("f(*a)", globals={"f": function, "a": arguments}, number=CALLS)
            times[name].append(seconds / CALLS * 1e6)
    medians = {name: statistics.median(each) for name, each in times.items()}
    return {name: medians[name] - medians["nothing"] for name in checks}


def main() -> int:
    rt.devices("cpu")
    times = measure(
        {"ShapeScript": compiled(), "asserts by hand": asserts, "jaxtyping with beartype": jaxtyping}
    )
    ours, by_hand, rival = times.values()
    print("argument checks of (x: [b n D], w_qkv: [D 3*D], w_o: [D D]), per call")
    for name, time in times.items():
        print(f"  {name:<24}{time:8.2f} µs{time / ours:8.1f} x")
    return 0 if ours < by_hand and 20 * ours < rival else 1


if __name__ == "__main__":
    sys.exit(main())
