# Causal self-attention by PyTorch's fused function.

devices cpu

dim D = 768
dim H = 12
dim Dh = D / H

fn causal_attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D]:
    q, k, v = x @ w_qkv |> split(b n (3 H Dh) -> b H n Dh)
    heads = scaled_dot_product_attention(q, k, v, is_causal=true)
    return heads |> rearrange(b H n Dh -> b n (H Dh)) |> matmul(w_o)
