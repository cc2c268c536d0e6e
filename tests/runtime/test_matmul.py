"""What `x @ y` and `matmul(x, y)` compute, against torch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch

import shapescript
from shapescript_check import Checker


def function_of(parameters: str, expression: str) -> Callable[..., Any]:
    text = f"devices cpu\nfn f({parameters}) = {expression}\n"
    program = Checker().check("f.ss", text)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    return shapescript.compile(text).f


RANKS = list(itertools.product(range(1, 5), range(1, 5)))


@pytest.mark.parametrize(("left", "right"), RANKS)
def test_matmul_is_torch_matmul(left: int, right: int) -> None:
    batch = ["b", "h"]
    x_type = [*batch[len(batch) - (left - 2) :], "n", "k"][-left:] if left > 1 else ["k"]
    y_type = [*batch[len(batch) - (right - 2) :], "k", "m"][-right:] if right > 1 else ["k"]
    sizes = {"b": 2, "h": 3, "n": 4, "k": 5, "m": 6}
    x, y = (torch.randn([sizes[a] for a in t], dtype=torch.float64) for t in (x_type, y_type))
    parameters = f"x: [{' '.join(x_type)}] f64, y: [{' '.join(y_type)}] f64"
    for expression in ("x @ y", "matmul(x, y)", "x |> matmul(y)"):
        assert torch.equal(function_of(parameters, expression)(x, y), x @ y)


def test_matmul_lines_up_by_name() -> None:
    x, y = torch.randn(2, 3, 4, 5), torch.randn(3, 2, 5, 6)
    function = function_of("x: [b h n k], y: [h b k m]", "x @ y")
    torch.testing.assert_close(function(x, y), x @ y.transpose(0, 1))
    weights = torch.randn(2, 5, 6)
    function = function_of("x: [b h n k], y: [b k m]", "x @ y")
    torch.testing.assert_close(function(x, weights), x @ weights[:, None])


def test_matmul_keeps_the_f32_of_16_bit_operands() -> None:
    x, y = torch.randn(3, 300).bfloat16(), torch.randn(300, 2).bfloat16()
    kept = function_of("x: [n k] bf16, y: [k m] bf16", "matmul(x, y, out=f32)")
    result = kept(x, y)
    assert result.dtype == torch.float32
    torch.testing.assert_close(result, x.float() @ y.float(), rtol=0.0, atol=0.0)
    assert not torch.equal(result, (x @ y).float())
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    kept(mine, y).sum().backward()
    (theirs.float() @ y.float()).sum().backward()
    assert mine.grad is not None
    assert mine.grad.dtype == torch.bfloat16
    torch.testing.assert_close(mine.grad, theirs.grad)
