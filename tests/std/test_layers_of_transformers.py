"""std.layers against the transformers library, whose modules published weights are for."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, ViTConfig
from transformers.models.llama.modeling_llama import (
    LlamaAttention,
    LlamaMLP,
    LlamaRotaryEmbedding,
    apply_rotary_pos_emb,
)
from transformers.models.vit.modeling_vit import ViTPatchEmbeddings

dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])

HEADS, KV_HEADS, WIDTH, HEAD = 6, 2, 24, 8
LLAMA = LlamaConfig(
    vocab_size=17,
    hidden_size=WIDTH,
    intermediate_size=40,
    num_hidden_layers=2,
    num_attention_heads=HEADS,
    num_key_value_heads=KV_HEADS,
    head_dim=HEAD,
    rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    initializer_range=0.2,
    attn_implementation="sdpa",
)


def attend(layers: ModuleType, module: LlamaAttention, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """What rotary_attention gives for a module's weights."""
    q, k, v = (p.weight.T.unflatten(1, (-1, HEAD)) for p in (module.q_proj, module.k_proj, module.v_proj))
    return layers.rotary_attention(x, q, k, v, module.o_proj.weight.T.unflatten(0, (HEADS, HEAD)), cos, sin)


def feed_forward(layers: ModuleType, module: LlamaMLP, x: Tensor) -> Tensor:
    """What swiglu gives for a module's weights."""
    weights = (module.gate_proj, module.up_proj, module.down_proj)
    return layers.swiglu(x, *(p.weight.T for p in weights))


def tables(layers: ModuleType, count: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    """The cosines and sines of the positions from 0, for half of a head's features."""
    angles = layers.rotary_angles(torch.empty(1, 1, count, HEAD), torch.arange(count), theta=500.0)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def test_rotary_angles_are_those_of_llama_to_the_bit(layers: ModuleType) -> None:
    positions = torch.tensor([0, 1, 2, 100, 4095, 130_000])
    x = torch.randn(1, HEADS, 6, HEAD)
    angles = layers.rotary_angles(x, positions, theta=500.0)
    cos, sin = LlamaRotaryEmbedding(LLAMA)(x, positions[None])
    # Theirs has both halves, which are the same.
    assert torch.equal(angles.cos(), cos[0, :, : HEAD // 2])
    assert torch.equal(angles.sin(), sin[0, :, : HEAD // 2])


@dtypes
def test_rotary_turns_queries_and_keys_as_llama_does(layers: ModuleType, dtype: torch.dtype) -> None:
    q, k = torch.randn(2, HEADS, 7, HEAD, dtype=dtype), torch.randn(2, KV_HEADS, 7, HEAD, dtype=dtype)
    cos, sin = LlamaRotaryEmbedding(LLAMA)(q, torch.arange(7)[None])
    expected = apply_rotary_pos_emb(q, k, cos, sin)
    ours = [layers.rotary(x, *tables(layers, 7, dtype)) for x in (q, k)]
    for found, wanted in zip(ours, expected, strict=True):
        assert found.dtype == dtype
        torch.testing.assert_close(found, wanted)


@dtypes
@pytest.mark.parametrize("count", [1, 9])
def test_rotary_attention_is_llamas(layers: ModuleType, count: int, dtype: torch.dtype) -> None:
    module = LlamaAttention(LLAMA, layer_idx=0).to(dtype)
    x = torch.randn(2, count, WIDTH, dtype=dtype)
    positions = LlamaRotaryEmbedding(LLAMA)(x, torch.arange(count)[None])
    later = torch.full((count, count), float("-inf"), dtype=dtype).triu(1)
    theirs, _ = module(x, position_embeddings=positions, attention_mask=later[None, None])
    ours = attend(layers, module, x, *tables(layers, count, dtype))
    tolerance = {torch.float32: 1e-5, torch.bfloat16: 2e-2}[dtype]
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)


@dtypes
def test_swiglu_is_llamas_feed_forward_layer(layers: ModuleType, dtype: torch.dtype) -> None:
    module = LlamaMLP(LLAMA).to(dtype)
    x = torch.randn(2, 5, WIDTH, dtype=dtype)
    torch.testing.assert_close(feed_forward(layers, module, x), module(x))


def test_patch_embedding_is_that_of_vit(layers: ModuleType) -> None:
    module = ViTPatchEmbeddings(ViTConfig(image_size=12, patch_size=4, hidden_size=10))
    img = torch.rand(2, 3, 12, 12)
    ours = layers.patch_embedding(img, module.projection.weight, module.projection.bias)
    torch.testing.assert_close(ours, module(img))


def test_a_llama_of_these_layers_has_its_logits_and_its_gradients(layers: ModuleType) -> None:
    llama = LlamaForCausalLM(LLAMA)
    ids = torch.randint(17, (2, 11))
    cos, sin = tables(layers, 11)

    def normed(x: Tensor, norm: torch.nn.Module) -> Tensor:
        return F.rms_norm(x, (WIDTH,), norm.weight, LLAMA.rms_norm_eps)

    x = llama.model.embed_tokens(ids)
    for layer in llama.model.layers:
        x = x + attend(layers, layer.self_attn, normed(x, layer.input_layernorm), cos, sin)
        x = x + feed_forward(layers, layer.mlp, normed(x, layer.post_attention_layernorm))
    ours = normed(x, llama.model.norm) @ llama.lm_head.weight.T
    theirs = llama(ids).logits
    assert theirs.std() > 0.3
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    weights = list(llama.parameters())
    gradients = [torch.autograd.grad(F.cross_entropy(z.mT, ids), weights) for z in (ours, theirs)]
    torch.testing.assert_close(*gradients, rtol=1e-3, atol=1e-4)
