# Adding up two marked numbers of a long sequence, with a gated linear recurrence: one linear_scan a layer.

devices cpu

dim In = 2
dim Hidden = 16

## Sequences of a step, and how long each is.
dim B = 32
dim T = 200

## What goes in, what is kept at each step, and what comes out.
model Recurrence:
    param enter: [In Hidden] = normal(std=0.5)
    param gate: [In Hidden] = normal(std=0.5)
    param keep: [Hidden] = full(3.0)
    param leave: [Hidden] = normal(std=0.2)

## h[t] = keep h[t-1] + gate(x[t]) enter(x[t]), each channel with a rate of its own, as in a diagonal state space.
fn states(m: Recurrence, x: [b t In]) -> [b t Hidden]:
    keep = sigmoid(m.keep)
    return linear_scan(keep, sigmoid(x @ m.gate) * (x @ m.enter), over=t)

fn answer(m: Recurrence, x: [b t In]) -> [b] = states(m, x)[:, t - 1] @ m.leave

## Numbers between -1 and 1, beside marks: 1 at one place in each half of the sequence, and 0 elsewhere.
fn task(mode: Mode) -> [B T In]:
    numbers = uniform([B T], mode, low=-1.0, high=1.0)
    half = T / 2
    first = floor(uniform([B 1], mode, high=half)) to i64
    second = first + half
    marked = iota(T) == first or iota(T) == second
    return stack(numbers, marked to f32, over=In) |> rearrange(In b t -> b t In)

fn loss(m: Recurrence, x: [b t In]) -> [] NonNeg:
    wanted = sum(x[:, :, 0] * x[:, :, 1], over=t)
    return mse_loss(answer(m, x), wanted)

## Trains on new sequences at each step; the loss of the last one.
fn train(mut m: Recurrence, mut opt: AdamW[Recurrence], steps: int, mode: Mode) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        l, g = value_and_grad(loss, m, task(mode))
        update(mut m, mut opt, g |> clip_norm(1.0))
        last = l
    return last

fn optimizer(m: Recurrence) -> AdamW[Recurrence] = adamw(m, lr=0.03)
