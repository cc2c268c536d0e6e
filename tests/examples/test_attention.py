"""examples/attention.ss against attention written by hand with torch."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

import shapescript
from shapescript_check import Checker
from shapescript_syntax.rendering import render
from tests.examples.conftest import EXAMPLES


def by_hand(x: Tensor, w_qkv: Tensor, w_o: Tensor, heads: int) -> Tensor:
    b, n, width = x.shape
    q, k, v = (x @ w_qkv).view(b, n, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(-1, -2) / (width // heads) ** 0.5
    later = torch.ones(n, n, dtype=torch.bool).triu(1)
    attended = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ v
    return attended.transpose(1, 2).reshape(b, n, width) @ w_o


def weights(width: int, dtype: torch.dtype, seed: int = 0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    w_qkv = torch.randn(width, 3 * width, generator=generator) / width**0.5
    w_o = torch.randn(width, width, generator=generator) / width**0.5
    return w_qkv.to(dtype), w_o.to(dtype)


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (1, 33), (3, 64)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_computes_what_torch_does(
    attention: ModuleType, shape: tuple[int, int], dtype: torch.dtype
) -> None:
    x = torch.randn(*shape, attention.D, generator=torch.Generator().manual_seed(1)).to(dtype)
    w_qkv, w_o = weights(attention.D, dtype)
    ours = attention.causal_attention(x, w_qkv, w_o)
    assert ours.dtype == dtype
    torch.testing.assert_close(ours, by_hand(x, w_qkv, w_o, attention.H))


def test_it_agrees_with_torchs_own_kernel(attention: ModuleType) -> None:
    x = torch.randn(2, 20, attention.D, generator=torch.Generator().manual_seed(2))
    w_qkv, w_o = weights(attention.D, torch.float32)
    q, k, v = (x @ w_qkv).view(2, 20, 3, attention.H, attention.Dh).permute(2, 0, 3, 1, 4)
    theirs = (
        scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 20, attention.D)
        @ w_o
    )
    torch.testing.assert_close(attention.causal_attention(x, w_qkv, w_o), theirs, rtol=1e-4, atol=1e-5)


def test_no_token_sees_a_later_one(attention: ModuleType) -> None:
    x = torch.randn(1, 8, attention.D, generator=torch.Generator().manual_seed(3))
    w_qkv, w_o = weights(attention.D, torch.float32)
    changed = x.clone()
    changed[:, 5] += 1.0
    before, after = (attention.causal_attention(v, w_qkv, w_o) for v in (x, changed))
    torch.testing.assert_close(before[:, :5], after[:, :5], rtol=0, atol=0)
    assert not torch.equal(before[:, 5:], after[:, 5:])


def test_gradients_reach_the_weights(attention: ModuleType) -> None:
    x = torch.randn(1, 4, attention.D, generator=torch.Generator().manual_seed(4))
    mine = [w.requires_grad_() for w in weights(attention.D, torch.float32)]
    theirs = [w.detach().clone().requires_grad_() for w in mine]
    attention.causal_attention(x, *mine).square().sum().backward()
    by_hand(x, *theirs, attention.H).square().sum().backward()
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-3)


def test_torch_compiles_it_whole(attention: ModuleType) -> None:
    compiled = torch.compile(attention.causal_attention, fullgraph=True, backend="eager")
    x = torch.randn(1, 6, attention.D, generator=torch.Generator().manual_seed(5))
    w_qkv, w_o = weights(attention.D, torch.float32)
    torch.testing.assert_close(compiled(x, w_qkv, w_o), attention.causal_attention(x, w_qkv, w_o))


# --- mistakes ----------------------------------------------------------------------------------------------

SWAPPED = """\
error[E0408]: `m` is axis 4 of the operand, and the pattern has it as axis 3
  --> attention.ss:17:37
   |
17 |     heads = einsum(attended, v: b H m n, b H m Dh -> b H n Dh)
   |                    --------         ^ axis 3 is n
   |                    |
   |                    [b H n m]
   |
   = note: a pattern names axes by position, in the operand's own order
   = help: its order is b H n m; if the pattern's is meant, reorder it first with rearrange(attended, b H n m -> b H m n)
"""  # noqa: E501


def test_two_names_swapped_in_the_last_einsum() -> None:
    text = (EXAMPLES / "attention.ss").read_text(encoding="utf-8")
    right = "einsum(attended, v: b H n m,"
    assert right in text
    program = Checker().check("attention.ss", text.replace(right, "einsum(attended, v: b H m n,"))
    rendered = render("text", [(program.source, program.diagnostics)], color=False)
    assert rendered.strip() == SWAPPED.strip()


def test_a_wrong_argument_names_the_parameter_and_the_sizes(attention: ModuleType) -> None:
    w_qkv, w_o = weights(attention.D, torch.float32)
    with pytest.raises(shapescript.ShapeError) as caught:
        attention.causal_attention(torch.zeros(2, 5, 700), w_qkv, w_o)
    place = rf"{re.escape(str(EXAMPLES / 'attention.ss'))}:13:21"
    assert re.fullmatch(
        place
        + r": argument `x` of `causal_attention` should be \[b n D\] with D = 768, got shape \(2, 5, 700\).*",
        str(caught.value),
    )


def test_a_failure_inside_torch_points_at_the_expression(tmp_path: Path) -> None:
    source = "devices cpu\n\nfn product(a: [n], b: [n]) -> [n]:\n    c = a + b\n    return c * picked(b)\n\n"
    source += 'extern fn picked(x: [n]) -> [n] = "torch.cholesky_inverse"\n'
    path = tmp_path / "fails.ss"
    path.write_text(source, encoding="utf-8")
    module = shapescript.compile(source, str(path))
    with pytest.raises(RuntimeError) as caught:
        module.product(torch.ones(3), torch.ones(3))
    lines = "".join(traceback.format_exception(caught.value)).splitlines()
    at = next(i for i, line in enumerate(lines) if f'File "{path}", line 5, in product' in line)
    assert lines[at + 1].strip() == "return c * picked(b)"
    assert lines[at + 2].strip() == "^^^^^^^^^"
    assert lines[at + 2].index("^") == lines[at + 1].index("picked")
