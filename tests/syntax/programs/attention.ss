# Causal attention, with the projections as one matrix.
devices cuda[0 1]
    shard params
    split Heads

import python torch.nn
import shapes.embed as embed
import vision

## The width of the stream, $D = H \cdot D_h$.
dim D = 512
dim Heads = 8
dim Dh = D / Heads
dim Patches = [b 3 16gh 16gw]
dim Wide = [vision.Images (Heads Dh) 2*(n + 1)]

## Never zero.
domain Scale = (0, 1.0]

extern fn roll_axis(x: [... n], shifts: Size[S] = 1, axis: Axis[n] = n) -> [... (n + 2*P - k)/S + 1] = "torch.roll"

fn patchify(img: Patches) -> [b (gh gw) (3 16 16)] = img |> rearrange(b c 16gh 16gw -> b (gh gw) (c 16 16))

fn project(x: [b n D], w: [D 3*D]) -> [b n 3*D]:
    return x @ w

## Attends to what came before.
##
## Twice as fast as it looks.
export fn attend(x: [b n D], w: [D 3*D], out: [D D] = none, mut state: AdamW[Mlp], scale = 1.0) -> [b n D] Real bf16:
    q, k, v = project(x, w) |> split(b n (3 Heads Dh) -> b Heads n Dh)
    scores = einsum(q, k: b Heads n Dh, b Heads m Dh -> b Heads n m) / sqrt(Dh)
    masked = masked_fill(scores, !causal[n m], -inf)  # the future is hidden
    weights = masked
        |> softmax(over=m)

        # between stages
        |> dropout(0.1, _)
        |> to Prob over m
    return (weights @ v) as [b Heads ?k Dh] |> rearrange(b Heads n Dh -> b n (Heads Dh)) |> matmul(out) |> torch.exp
