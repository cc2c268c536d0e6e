"""Programs that the tests of the command line are about."""

from __future__ import annotations

GOOD = """\
devices cpu

dim D = 4

## Twice as much of everything.
fn double(x: [n D]) -> [n D] = x * 2
"""

# The first pattern names the axes of `weights` in another order than it has them.
SWAPPED = """\
devices cpu

fn weighted(weights: [b n m], values: [b m D]) -> [b n D]:
    return einsum(weights, values: b m n, b m D -> b n D)
"""

UNKNOWN = """\
fn f(x: [n]) -> [n] = y
"""
