"""`leaky_relu(x, slope=0.01)`."""

from __future__ import annotations

from shapescript_check.operations.families.activations import Activation

OPERATION = Activation(
    "leaky_relu",
    "fn leaky_relu(x: Real, slope: float = 0.01) -> Real",
    "The value where it is above 0, and `slope` times it elsewhere.",
    """\
dim In = 8
dim Out = 4

fn layer(x: [n In], w: [In Out]) -> [n Out] = x @ w |> leaky_relu(slope=0.2)
""",
    function="leaky_relu",
    number="slope",
    keyword="negative_slope",
)
