"""`elu(x, alpha=1.0)`."""

from __future__ import annotations

from shapescript_check.operations.families.activations import Activation

OPERATION = Activation(
    "elu",
    "fn elu(x: Real, alpha: float = 1.0) -> Real",
    "The value where it is above 0, and `alpha * (exp(x) - 1)` elsewhere (Clevert et al., 2016).",
    """\
dim In = 8
dim Out = 4

fn layer(x: [n In], w: [In Out]) -> [n Out] = x @ w |> elu
""",
    function="elu",
    number="alpha",
    keyword="alpha",
)
