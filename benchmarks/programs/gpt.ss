# A GPT-2 of 124 million parameters, and its loss.

devices cpu

dim V = 50257
dim Context = 1024
dim L = 12
dim D = 768
dim H = 12
dim Dh = D / H
dim Dff = 4 * D

## The parameters, those of all layers together: the first axis is the layer.
model Gpt:
    param tokens: [V D] = normal(std=0.02)
    param positions: [Context D] = normal(std=0.02)
    param norm1_weight: [L D] = ones
    param norm1_bias: [L D] = zeros
    param qkv: [L D 3*D] = normal(std=0.02)
    param qkv_bias: [L 3*D] = zeros
    param merge: [L D D] = normal(std=0.004)
    param merge_bias: [L D] = zeros
    param norm2_weight: [L D] = ones
    param norm2_bias: [L D] = zeros
    param widen: [L D Dff] = normal(std=0.02)
    param widen_bias: [L Dff] = zeros
    param narrow: [L Dff D] = normal(std=0.004)
    param narrow_bias: [L D] = zeros
    param norm_weight: [D] = ones
    param norm_bias: [D] = zeros

## Multi-head causal self-attention.
fn attention(x: [b n D], qkv: [D 3*D], qkv_bias: [3*D], merge: [D D], merge_bias: [D]) -> [b n D]:
    q, k, v = x @ qkv + qkv_bias |> split(b n (3 H Dh) -> b H n Dh)
    heads = scaled_dot_product_attention(q, k, v, is_causal=true)
    return rearrange(heads, b H n Dh -> b n (H Dh)) @ merge + merge_bias

## The two layers after attention.
fn mlp(x: [b n D], widen: [D Dff], widen_bias: [Dff], narrow: [Dff D], narrow_bias: [D]) -> [b n D]:
    return gelu(x @ widen + widen_bias) @ narrow + narrow_bias

## One layer of the model.
fn block(m: Gpt, layer: int, x: [b n D]) -> [b n D]:
    normed = layer_norm(x, over=D, weight=m.norm1_weight[layer], bias=m.norm1_bias[layer])
    h = x + attention(normed, m.qkv[layer], m.qkv_bias[layer], m.merge[layer], m.merge_bias[layer])
    normed = layer_norm(h, over=D, weight=m.norm2_weight[layer], bias=m.norm2_bias[layer])
    return h + mlp(normed, m.widen[layer], m.widen_bias[layer], m.narrow[layer], m.narrow_bias[layer])

## What the model makes of each token. There are at most as many as `Context`.
fn hidden(m: Gpt, ids: [b n] Index[V], places: [n] Index[Context]) -> [b n D]:
    x = m.tokens[ids] + m.positions[places]
    for layer in 0..L:
        x = block(m, layer, x)
    return layer_norm(x, over=D, weight=m.norm_weight, bias=m.norm_bias)

## Scores of every token that may come next. The embedding is also the last layer.
fn forward(m: Gpt, ids: [b n] Index[V], places: [n] Index[Context]) -> [b n V] Logit over V:
    return einsum(hidden(m, ids, places), m.tokens: b n D, V D -> b n V)

fn loss(m: Gpt, ids: [b n] Index[V], places: [n] Index[Context], next: [b n] Index[V]) -> [] NonNeg:
    return forward(m, ids, places) |> cross_entropy(next, over=V)
