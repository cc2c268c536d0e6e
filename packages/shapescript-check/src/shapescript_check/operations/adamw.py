"""`adamw(m, lr=…)`."""

from __future__ import annotations

from shapescript_check.operations.families.optimizers import Optimizer

OPERATION = Optimizer(
    "adamw",
    "AdamW",
    {"beta1": "float", "beta2": "float", "eps": "float", "weight_decay": "float", "amsgrad": "bool"},
    "beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01, amsgrad = false",
    """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn start(m: Line, steps: int) -> AdamW[Line] = adamw(m, lr=warmup(10, cosine(3e-4, steps)), weight_decay=0.1)
""",
)
