# Layers of transformers as plain functions: whoever calls them has the weights. A weight is [in out] and applied as
# `x @ w`, so it is the transpose of a torch.nn.Linear's. To change a layer, copy it.

## Attention in each of h heads: for each query, the mean of the values weighted by the softmax of its scaled products
## with the keys, $\softmax(q k^T / \sqrt{d}) v$. With `is_causal`, query i sees keys 0 to i.
## Vaswani et al., 2017, https://arxiv.org/abs/1706.03762
fn attention(q: [b h n d], k: [b h m d], v: [b h m e], is_causal: bool = false) -> [b h n e]:
    return scaled_dot_product_attention(q, k, v, is_causal=is_causal)

## Attention whose g heads of keys and values serve r heads of queries each, the first r the first: grouped-query
## attention, and with g = 1 multi-query attention.
## Ainslie et al., 2023, https://arxiv.org/abs/2305.13245
fn grouped_attention(
    q: [b (g r) n d],
    k: [b g m d],
    v: [b g m e],
    is_causal: bool = false,
) -> [b (g r) n e]:
    keys = k |> repeat(b g m d -> b (g r) m d)
    values = v |> repeat(b g m e -> b (g r) m e)
    return attention(q, keys, values, is_causal=is_causal)

## The angles of rotary positions, $p \theta^{-i/k}$ at position p for each i below k. Only the shape of `x` counts:
## the queries or keys whose 2*k features in each head are to be turned.
## Su et al., 2021, https://arxiv.org/abs/2104.09864
fn rotary_angles(x: [b h n 2*k], positions: [n] i64, theta: float = 10000.0) -> [n k]:
    return rearrange(positions, n -> n 1) * (1.0 / pow(theta, iota(k) / k))

## Turns queries or keys by the angles whose cosines and sines are given. Feature i is paired with feature i + k, as in
## GPT-NeoX, and in the transformers library for Llama ("rotate half").
fn rotary(x: [b h n 2*k], cos: [n k], sin: [n k]) -> [b h n 2*k]:
    x1, x2 = x |> split(b h n (2 k) -> b h n k)
    return cat(x1 * cos - x2 * sin, x2 * cos + x1 * sin, over=k)

## `rotary` with neighbours paired, feature 2*i with 2*i + 1, as in the paper, GPT-J, and Meta's own weights of Llama.
fn rotary_interleaved(x: [b h n 2*k], cos: [n k], sin: [n k]) -> [b h n 2*k]:
    x1, x2 = x |> split(b h n (k 2) -> b h n k)
    turned = stack(x1 * cos - x2 * sin, x2 * cos + x1 * sin, over=pair)
    return turned |> rearrange(pair b h n k -> b h n (k pair))

## Self-attention with a projection for each of queries, keys, values and the result. Each head has a slice of its own
## in the weights: a Linear's weight of [h*d in] is `.T.view(in, h, d)` here.
fn multi_head_attention(
    x: [b n width],
    w_q: [width h d],
    w_k: [width h d],
    w_v: [width h e],
    w_o: [h e out],
    is_causal: bool = false,
) -> [b n out]:
    q = einsum(x, w_q: b n width, width h d -> b h n d)
    k = einsum(x, w_k: b n width, width h d -> b h n d)
    v = einsum(x, w_v: b n width, width h e -> b h n e)
    return attention(q, k, v, is_causal=is_causal)
        |> einsum(_, w_o: b h n e, h e out -> b n out)

## The causal self-attention of Llama: grouped heads, and rotary positions with halves paired. `cos` and `sin` are those
## of `rotary_angles`, made once for all layers.
## Touvron et al., 2023, https://arxiv.org/abs/2307.09288
fn rotary_attention(
    x: [b n width],
    w_q: [width (g r) 2*k],
    w_k: [width g 2*k],
    w_v: [width g e],
    w_o: [(g r) e out],
    cos: [n k],
    sin: [n k],
) -> [b n out]:
    q = einsum(x, w_q: b n width, width h d -> b h n d) |> rotary(cos, sin)
    keys = einsum(x, w_k: b n width, width g d -> b g n d) |> rotary(cos, sin)
    v = einsum(x, w_v: b n width, width g e -> b g n e)
    return grouped_attention(q, keys, v, is_causal=true)
        |> einsum(_, w_o: b h n e, h e out -> b n out)

## Two linear maps with a GELU between them, at each position: the feed-forward layer of BERT and ViT.
## Hendrycks and Gimpel, 2016, https://arxiv.org/abs/1606.08415
fn mlp(
    x: [b n width],
    w_in: [width hidden],
    b_in: [hidden],
    w_out: [hidden out],
    b_out: [out],
) -> [b n out]:
    return x @ w_in + b_in |> gelu |> matmul(w_out) |> add(b_out)

## The feed-forward layer of Llama: a linear map, times the SiLU of another, and a third map of that.
## Shazeer, 2020, https://arxiv.org/abs/2002.05202
fn swiglu(
    x: [b n width],
    w_gate: [width hidden],
    w_up: [width hidden],
    w_down: [hidden out],
) -> [b n out]:
    return silu(x @ w_gate) * (x @ w_up) |> matmul(w_down)

## Images as sequences of patches, row by row, each p by q pixels and mapped to one vector: what torch's conv2d does with
## windows that follow each other, and a weight of the same shape.
## Dosovitskiy et al., 2020, https://arxiv.org/abs/2010.11929
fn patch_embedding(
    img: [b c (gh p) (gw q)],
    weight: [width c p q],
    bias: [width],
) -> [b (gh gw) width]:
    patches = img |> rearrange(b c (gh p) (gw q) -> b (gh gw) (c p q))
    return patches @ rearrange(weight, width c p q -> (c p q) width) + bias
