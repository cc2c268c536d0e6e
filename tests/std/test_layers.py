"""std.layers against torch's own functions and modules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import shapescript

dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
causal = pytest.mark.parametrize("is_causal", [False, True], ids=["all", "causal"])


def agree(ours: Callable[..., Tensor], theirs: Callable[..., Tensor], *arguments: Tensor) -> None:
    """Two functions give the same values, and the same gradients for each of their arguments."""
    results = []
    for function in (ours, theirs):
        leaves = [a.detach().clone().requires_grad_() for a in arguments]
        value = function(*leaves)
        # Weights that differ from element to element, so that a permutation shows.
        weights = torch.linspace(-1.0, 1.0, value.numel()).view(value.shape).to(value.dtype)
        results.append((value, torch.autograd.grad((value * weights).sum(), leaves)))
    (value, gradients), (expected, expected_gradients) = results
    # In bf16 a bias is added before or after rounding, as the kernels like.
    close, loose = {torch.float32: (1e-5, 1e-4), torch.bfloat16: (2e-2, 3e-2)}[value.dtype]
    torch.testing.assert_close(value, expected, rtol=close, atol=close)
    torch.testing.assert_close(gradients, expected_gradients, rtol=loose, atol=loose)


# --- attention ---------------------------------------------------------------------------------------------


@dtypes
@causal
@pytest.mark.parametrize("queries", [1, 7])
@pytest.mark.parametrize("keys", [5, 7])
def test_attention(layers: ModuleType, queries: int, keys: int, is_causal: bool, dtype: torch.dtype) -> None:
    q = torch.randn(2, 3, queries, 8, dtype=dtype)
    k, v = torch.randn(2, 3, keys, 8, dtype=dtype), torch.randn(2, 3, keys, 4, dtype=dtype)

    def by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = q @ k.mT / 8**0.5
        if is_causal:
            later = torch.ones(queries, keys, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        return torch.softmax(scores, dim=-1) @ v

    def ours(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return layers.attention(q, k, v, is_causal=is_causal)

    assert ours(q, k, v).dtype == dtype
    assert torch.equal(ours(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=is_causal))
    if dtype == torch.float32:
        agree(ours, by_hand, q, k, v)


@dtypes
@causal
@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (6, 2), (4, 1)])
def test_grouped_attention(
    layers: ModuleType, heads: int, kv_heads: int, is_causal: bool, dtype: torch.dtype
) -> None:
    q = torch.randn(2, heads, 5, 8, dtype=dtype)
    k, v = (torch.randn(2, kv_heads, 5, 8, dtype=dtype) for _ in range(2))
    agree(
        lambda *qkv: layers.grouped_attention(*qkv, is_causal=is_causal),
        lambda *qkv: F.scaled_dot_product_attention(*qkv, is_causal=is_causal, enable_gqa=True),
        *(q, k, v),
    )


def test_heads_that_make_no_groups_are_refused(layers: ModuleType) -> None:
    q, k = torch.randn(1, 5, 3, 8), torch.randn(1, 2, 3, 8)
    with pytest.raises(shapescript.ShapeError, match=r"\[b \(g r\) n d\].*5 isn't divisible by 2"):
        layers.grouped_attention(q, k, k)
    with pytest.raises(shapescript.ShapeError, match=r"`k` of `attention` should be \[b h m d\]"):
        layers.attention(q, k, k)


@dtypes
@causal
def test_multi_head_attention(layers: ModuleType, is_causal: bool, dtype: torch.dtype) -> None:
    module = nn.MultiheadAttention(12, 3, bias=False, batch_first=True, dtype=dtype)
    later = torch.ones(5, 5, dtype=torch.bool).triu(1) if is_causal else None

    def theirs(x: Tensor, w_in: Tensor, w_out: Tensor) -> Tensor:
        weights = {"in_proj_weight": w_in, "out_proj.weight": w_out}
        options = {"attn_mask": later, "need_weights": False}
        return torch.func.functional_call(module, weights, (x, x, x), options)[0]

    def ours(x: Tensor, w_in: Tensor, w_out: Tensor) -> Tensor:
        projections = (w.T.view(12, 3, 4) for w in w_in.chunk(3))
        return layers.multi_head_attention(x, *projections, w_out.T.view(3, 4, 12), is_causal=is_causal)

    weights = [p.detach() for p in (module.in_proj_weight, module.out_proj.weight)]
    agree(ours, theirs, torch.randn(2, 5, 12, dtype=dtype), *weights)


# --- rotary positions --------------------------------------------------------------------------------------


@dtypes
def test_rotary_interleaved_multiplies_complex_numbers(layers: ModuleType, dtype: torch.dtype) -> None:
    x = torch.randn(2, 3, 6, 8, dtype=dtype)
    angles = layers.rotary_angles(x, torch.arange(6))
    ours = layers.rotary_interleaved(x, angles.cos().to(dtype), angles.sin().to(dtype))
    pairs = torch.view_as_complex(x.float().unflatten(-1, (4, 2)))
    expected = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    assert ours.dtype == dtype
    tolerance = {torch.float32: 1e-5, torch.bfloat16: 5e-2}[dtype]
    torch.testing.assert_close(ours.float(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("turn", ["rotary", "rotary_interleaved"])
def test_scores_of_turned_vectors_depend_on_their_distance_alone(layers: ModuleType, turn: str) -> None:
    q, k = torch.randn(1, 1, 1, 16).expand(1, 1, 9, 16), torch.randn(1, 1, 1, 16).expand(1, 1, 9, 16)

    def scores(first: int) -> Tensor:
        angles = layers.rotary_angles(q, torch.arange(first, first + 9), theta=100.0)
        turned = [getattr(layers, turn)(x, angles.cos(), angles.sin()) for x in (q, k)]
        return turned[0] @ turned[1].mT

    for distance in range(-8, 9):
        diagonal = scores(0)[0, 0].diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(scores(0), scores(40), rtol=1e-4, atol=1e-4)
    assert not torch.allclose(scores(0)[0, 0].diagonal(0)[:1], scores(0)[0, 0].diagonal(1)[:1])


def test_rotary_needs_an_even_number_of_features(layers: ModuleType) -> None:
    with pytest.raises(shapescript.ShapeError, match=r"\[b h n 2\*k\].*7 isn't divisible by 2"):
        layers.rotary_angles(torch.randn(1, 1, 3, 7), torch.arange(3))


# --- feed-forward layers, and patches ----------------------------------------------------------------------


@dtypes
def test_mlp(layers: ModuleType, dtype: torch.dtype) -> None:
    module = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 4)).to(dtype)
    names = [name for name, _ in module.named_parameters()]

    def theirs(x: Tensor, *weights: Tensor) -> Tensor:
        return torch.func.functional_call(module, dict(zip(names, weights, strict=True)), x)

    def ours(x: Tensor, w_in: Tensor, b_in: Tensor, w_out: Tensor, b_out: Tensor) -> Tensor:
        return layers.mlp(x, w_in.T, b_in, w_out.T, b_out)

    weights = [p.detach() for p in module.parameters()]
    agree(ours, theirs, torch.randn(2, 5, 6, dtype=dtype), *weights)


@dtypes
@pytest.mark.parametrize(("image", "patch"), [((8, 8), (4, 4)), ((4, 12), (2, 3)), ((5, 5), (5, 5))])
def test_patch_embedding(
    layers: ModuleType, image: tuple[int, int], patch: tuple[int, int], dtype: torch.dtype
) -> None:
    def theirs(img: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.conv2d(img, weight, bias, stride=patch).flatten(2).mT

    img, weight = torch.randn(2, 3, *image, dtype=dtype), torch.randn(7, 3, *patch, dtype=dtype)
    agree(layers.patch_embedding, theirs, img, weight, torch.randn(7, dtype=dtype))


def test_an_image_that_patches_do_not_fill_is_refused(layers: ModuleType) -> None:
    with pytest.raises(shapescript.ShapeError, match="17 isn't divisible by 4"):
        layers.patch_embedding(torch.randn(1, 3, 17, 16), torch.randn(8, 3, 4, 4), torch.randn(8))
