"""examples/top_k_routing.ss: tokens of different kinds go to different experts."""

from __future__ import annotations

import pytest
import torch

from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
mixture = compiled("top_k_routing")


def task(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens around one place for each kind, which their own linear map takes elsewhere; and their kinds."""
    generator = torch.Generator().manual_seed(7)
    maps = 0.5 * torch.randn(4, mixture.D, mixture.D, generator=generator)
    generator.manual_seed(seed)
    kinds = torch.randint(0, 4, (count,), generator=generator)
    x = 3.0 * torch.eye(4, mixture.D)[kinds] + 0.5 * torch.randn(count, mixture.D, generator=generator)
    return x, torch.einsum("nd,nde->ne", x, maps[kinds]), kinds


def test_it_computes_what_a_loop_over_tokens_does() -> None:
    m = mixture.Mixture.init(seed=0)
    x = task(10, seed=1)[0]
    for token, found in zip(x, mixture.forward(m, x), strict=True):
        scores, experts = torch.topk(token @ m.router, mixture.Active)
        share = torch.softmax(scores, dim=0)
        answers = [torch.nn.functional.gelu(token @ m.enter[e]) @ m.leave[e] for e in experts]
        torch.testing.assert_close(
            found, sum(s * a for s, a in zip(share, answers, strict=True)), rtol=1e-4, atol=1e-5
        )
    assert mixture.load(m, x).sum() == 10 * mixture.Active


def test_only_the_experts_of_a_token_get_its_gradient() -> None:
    m = mixture.Mixture.init(seed=0)
    x = task(1, seed=2)[0]
    mixture.forward(m, x).square().sum().backward()
    touched = m.enter.grad.abs().sum((1, 2)) > 0
    assert touched.nonzero().flatten().tolist() == sorted(mixture.chosen(m, x)[0].tolist())


def test_it_learns_with_all_experts_at_work() -> None:
    m = mixture.Mixture.init(seed=0)
    x, y, _ = task(256, seed=3)
    mixture.train(m, mixture.optimizer(m), x, y, 120)
    other, wanted, kinds = task(256, seed=4)
    assert torch.nn.functional.mse_loss(mixture.forward(m, other), wanted) < 0.1 * wanted.var()
    assert (mixture.load(m, other) > 256 / 8).all()
    best = mixture.chosen(m, other)[:, 0]
    # Tokens of one kind go to one expert, most of them.
    assert sum((best[kinds == k].mode().values == best[kinds == k]).sum() for k in range(4)) > 0.8 * 256
