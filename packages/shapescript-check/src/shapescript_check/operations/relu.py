"""`relu(x)`."""

from __future__ import annotations

from shapescript_check.operations.families.elementwise import Elementwise
from shapescript_check.types import intervals
from shapescript_check.types.domains import BINARY

OPERATION = Elementwise(
    "relu",
    "fn relu(x: Real) -> NonNeg",
    "The value where it is above 0, and 0 elsewhere.",
    """\
dim In = 8
dim Out = 4

fn layer(x: [n In], w: [In Out]) -> [n Out] NonNeg = x @ w |> relu
""",
    transfer=intervals.relu,
    template="torch.relu(x)",
    keeps=(BINARY,),
)
