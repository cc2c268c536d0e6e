"""Programs that the tests of the command line are about."""

from __future__ import annotations

GOOD = """\
devices cpu

dim D = 4

## Twice as much of everything.
fn double(x: [n D]) -> [n D] = x * 2
"""

# The axes of the result are in another order than the return type says.
SWAPPED = """\
devices cpu

fn similarity(q: [b n D], k: [b m D]) -> [b n m]:
    s = einsum(q, k: b n D, b D m -> b n m)
    return s
"""

UNKNOWN = """\
fn f(x: [n]) -> [n] = y
"""
