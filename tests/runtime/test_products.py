"""Products that keep the f32 they are added up in: the CUDA kernels' part is played by an exact product in f32."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from shapescript_runtime import matmul_f32, products


@pytest.fixture
def as_on_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Takes the way of CUDA on the CPU, where torch has no product with another dtype than its operands'."""

    def exact(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        assert x.dim() == y.dim()
        return x.detach().float() @ y.detach().float()

    monkeypatch.setattr(products, "_mm", exact)
    monkeypatch.setattr(products, "_bmm", exact)
    monkeypatch.setattr(products, "_has_kernels", lambda x, y: True)
    return


SHAPES = [
    ((3, 40), (40, 2)),
    ((40,), (40, 2)),
    ((3, 40), (40,)),
    ((40,), (40,)),
    ((2, 3, 40), (40, 5)),
    ((2, 3, 40), (2, 40, 5)),
    ((2, 1, 3, 40), (4, 40, 5)),
    ((40,), (2, 40, 5)),
    ((2, 3, 40), (40,)),
    ((0, 3, 40), (0, 40, 5)),
    ((0, 3, 40), (40, 5)),
]


def halves(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


@pytest.mark.usefixtures("as_on_cuda")
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_every_rank_is_as_in_torch(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x, y = halves(left, 1), halves(right, 2)
    torch.testing.assert_close(matmul_f32(x, y), x.float() @ y.float())


@pytest.mark.usefixtures("as_on_cuda")
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_gradients_are_those_of_a_16_bit_product(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x, y = halves(left, 1).requires_grad_(), halves(right, 2).requires_grad_()
    result = matmul_f32(x, y)
    weights = torch.randn(result.shape, generator=torch.Generator().manual_seed(3)).bfloat16()
    mine = torch.autograd.grad((result * weights.float()).sum(), (x, y))
    theirs = torch.autograd.grad(((x @ y) * weights).sum(), (x, y))
    for a, b in zip(mine, theirs, strict=True):
        assert a.dtype == torch.bfloat16
        torch.testing.assert_close(a, b, rtol=0.02, atol=0.02)


@pytest.mark.usefixtures("as_on_cuda")
def test_only_what_needs_a_gradient_gets_one() -> None:
    x, y = halves((3, 40), 1), halves((40, 2), 2).requires_grad_()
    matmul_f32(x, y).sum().backward()
    assert x.grad is None
    assert y.grad is not None
    with torch.no_grad():
        assert not matmul_f32(x, y).requires_grad


def test_other_floats_are_added_up_as_they_are() -> None:
    x, y = torch.randn(3, 4), torch.randn(4, 5)
    torch.testing.assert_close(matmul_f32(x, y), x @ y)


@pytest.mark.gpu
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_on_cuda(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    x, y = halves(left, 1).cuda().requires_grad_(), halves(right, 2).cuda()
    result = matmul_f32(x, y)
    assert result.dtype == torch.float32
    torch.testing.assert_close(result, x.float() @ y.float(), rtol=1e-4, atol=1e-4)
    result.sum().backward()
    assert x.grad is not None
