"""What scans cost, forward and backward, against the loops that they stand for and against torch.cumsum.

    python benchmarks/scans.py             the sizes below, but for loops of linear_scan, which are an eighth as long
    python benchmarks/scans.py --whole     those whole as well: minutes

linear_scan of [8 4096 256] and matrix_scan of [8 1024 8 8], as compiled ShapeScript. Beside each stand two loops in
torch: the one that follows the definition, `h = a[:, t] * h + b[:, t]`, whose backward makes a tensor of the whole size
for every step; and one that takes the operands apart first, with `unbind`, which whoever knows that writes.

Prints how many times as long each takes as the scan. The bound in the project's plan is 10 for the first loop.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter

import torch
from torch import Tensor

import shapescript

SOURCE = """\
devices cpu

fn linear(a: [b t c], x: [b t c]) -> [b t c] = linear_scan(a, x, over=t)

fn matrices(a: [b t n n], x: [b t n k]) -> [b t n k] = matrix_scan(a, x, over=t)
"""

LINEAR = (8, 4096, 256)
MATRICES = (8, 1024, 8, 8)

Scan = Callable[[Tensor, Tensor], Tensor]


def main() -> None:
    parser = argparse.ArgumentParser(description="Times scans against loops and torch.cumsum.")
    parser.add_argument(
        "--whole", action="store_true", help="time the loops of linear_scan at the whole size, too"
    )
    whole = parser.parse_args().whole
    module = shapescript.compile(SOURCE, "scans.ss")
    print(f"{torch.get_num_threads()} threads, forward and backward\n")
    report(
        "linear_scan", module.linear, elementwise, torch.rand(LINEAR), torch.randn(LINEAR), 1 if whole else 8
    )
    print()
    orthogonal, _ = torch.linalg.qr(torch.randn(MATRICES))
    report("matrix_scan", module.matrices, torch.matmul, orthogonal, torch.randn(MATRICES), 1)


def elementwise(a: Tensor, h: Tensor) -> Tensor:
    return a * h


def report(name: str, scan: Scan, product: Scan, a: Tensor, b: Tensor, cut: int) -> None:
    """Times one scan, at the whole size and, for the loops, at one that is cut to a part of its length."""
    took = both_ways(scan, a, b)
    print(f"{name} of {list(b.shape)}: {took * 1000:.0f} ms")
    print(f"  torch.cumsum of that size           {both_ways(lambda _, b: b.cumsum(1), a, b) / took:8.2f}")
    print(f"  a loop over operands taken apart    {both_ways(unbound(product), a, b, 1) / took:8.2f}")
    short_a, short_b = (x[:, : x.shape[1] // cut].contiguous() for x in (a, b))
    took = both_ways(scan, short_a, short_b) if cut > 1 else took
    found = both_ways(indexed(product), short_a, short_b, 1) / took
    print(
        f"  the loop, as it is defined          {found:8.2f}"
        + (f"  of {list(short_b.shape)}" if cut > 1 else "")
    )


def indexed(product: Scan) -> Scan:
    """The recurrence as it is written down."""

    def loop(a: Tensor, b: Tensor) -> Tensor:
        h, states = torch.zeros_like(b[:, 0]), []
        for t in range(b.shape[1]):
            h = product(a[:, t], h) + b[:, t]
            states.append(h)
        return torch.stack(states, 1)

    return loop


def unbound(product: Scan) -> Scan:
    """The recurrence over operands that are taken apart once."""

    def loop(a: Tensor, b: Tensor) -> Tensor:
        h, states = torch.zeros_like(b[:, 0]), []
        for step, term in zip(a.unbind(1), b.unbind(1), strict=True):
            h = product(step, h) + term
            states.append(h)
        return torch.stack(states, 1)

    return loop


def both_ways(scan: Scan, a: Tensor, b: Tensor, rounds: int = 5) -> float:
    """Seconds of a scan and of its gradient: those of the quickest round."""
    a, b = a.requires_grad_(), b.requires_grad_()
    along = torch.ones_like(b)
    times = []
    for _ in range(rounds):
        start = perf_counter()
        torch.autograd.grad(scan(a, b), (a, b), along, allow_unused=True)
        times.append(perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
