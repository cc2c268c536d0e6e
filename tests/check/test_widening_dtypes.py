"""What a domain of 16-bit floats says once a wider dtype holds them: its ends stand for the numbers nearest to them in
each dtype, and the sums of distributions are only as near to 1 as the narrower one can have them."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from shapescript_check.types.values import TensorType


def type_of(parameters: str, expression: str) -> str:
    program = Checker().check("w.ss", f"domain Odd = [-0.3, 0.7]\nfn f({parameters}) = {expression}\n")
    assert not program.has_errors, program.diagnostics
    kind = program.bodies["f"].body.returns
    assert isinstance(kind, TensorType)
    return str(kind)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("x to f32", "[n] [-0.30078125, 0.703125]"),
        ("x to f16", "[n] [-0.30078125, 0.703125] f16"),
        ("cat(x, y, over=n)", "[2*n] [-0.30078125, 0.703125]"),
        ("maximum(x, y)", "[n] [-0.3, 0.703125]"),
        ("max(x, over=n)", "[] Odd bf16"),
        ("(x + 2.296875) to i32", "[n] [1, 3] i32"),
    ],
)
def test_ranges(expression: str, shown: str) -> None:
    assert type_of("x: [n] Odd bf16, y: [n] Odd", expression) == shown


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("p to f32", "[n C] Unit"),
        ("p to f16", "[n C] Prob over C f16"),
        ("cat(p, q, over=n)", "[2*n C] Unit"),
        ("where(m, p, q)", "[n C] Unit"),
        ("p to LogProb over C f32", "[n C] LogProb over C"),
    ],
)
def test_distributions(expression: str, shown: str) -> None:
    parameters = "p: [n C] Prob over C bf16, q: [n C] Prob over C, m: [n] Mask"
    assert type_of(parameters, expression) == shown
