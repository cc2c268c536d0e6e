# An energy that points move down on: training differentiates through the gradients that the model takes of itself.

devices cpu

dim D = 2
dim Hidden = 32
dim Steps = 3

model Energy:
    param enter: [D Hidden] = normal(std=2.0)
    param offset: [Hidden] = normal(std=1.0)
    param leave: [Hidden] = normal(std=0.3)

## High where points shouldn't be. Each point has its own; this is their sum, so that each gets its own gradient.
fn energy(m: Energy, x: [n D]) -> []:
    return sum(softplus(x @ m.enter + m.offset) @ m.leave) + sum(square(x)) / 4.0

## Points moved down on their own energy.
fn settled(m: Energy, x: [n D], steps: int) -> [n D]:
    for step in 0..steps:
        high = energy(m, x)
        x = x - 0.3 * gradient(high, x)
    return x

## How far from the clean points the noisy ones settle.
fn loss(
    m: Energy,
    clean: [n D],
    noisy: [n D],
) -> [] NonNeg = mse_loss(settled(m, noisy, Steps), clean)

## Points on a circle.
fn circle(mode: Mode) -> [64 D]:
    angle = uniform([64], mode, high=6.283185)
    return stack(cos(angle), sin(angle), over=D) |> rearrange(D n -> n D)

## Trains on points of the circle that are moved at random.
fn train(mut m: Energy, mut opt: AdamW[Energy], steps: int, mode: Mode) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        clean = circle(mode)
        noisy = clean + normal([64 D], mode, std=0.3)
        l, g = value_and_grad(loss, m, clean, noisy)
        update(mut m, mut opt, g |> clip_norm(1.0))
        last = l
    return last

fn optimizer(m: Energy) -> AdamW[Energy] = adamw(m, lr=0.05)
