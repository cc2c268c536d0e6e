# Causal self-attention over a batch of sequences, as in a GPT: every token looks at itself and at the tokens
# before it.

devices cpu

## The model's width.
dim D = 768
## The number of heads, and the width of each.
dim H = 12
dim Dh = D / H

## Multi-head causal self-attention with one projection for queries, keys and values: $\softmax(q k^T / \sqrt{D_h}) v$.
fn causal_attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D]:
    q, k, v = x @ w_qkv |> split(b n (3 H Dh) -> b H n Dh)
    scores = einsum(q, k: b H n Dh, b H m Dh -> b H n m) / sqrt(Dh)
    attended = scores |> masked_fill(!causal[n m], -inf) |> softmax(over=m)
    heads = einsum(attended, v: b H n m, b H m Dh -> b H n Dh)
    return heads |> rearrange(b H n Dh -> b n (H Dh)) |> matmul(w_o)
