"""`sgd(m, lr=…)`."""

from __future__ import annotations

from shapescript_check.operations.families.optimizers import Optimizer

OPERATION = Optimizer(
    "sgd",
    "SGD",
    {"momentum": "float", "dampening": "float", "weight_decay": "float", "nesterov": "bool"},
    "momentum = 0.0, dampening = 0.0, weight_decay = 0.0, nesterov = false",
    """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn start(m: Line) -> SGD[Line] = sgd(m, lr=0.1, momentum=0.9, nesterov=true)
""",
)
