# A variational autoencoder: it draws while it trains, and, with Sample, without training.

devices cpu

dim D = 4
dim Z = 2
dim Hidden = 16

## Examples of a step.
dim B = 64

model Vae:
    param enter: [D Hidden] = normal(std=0.4)
    param mean: [Hidden Z] = normal(std=0.2)
    param log_std: [Hidden Z] = zeros
    param open: [Z Hidden] = normal(std=0.6)
    param leave: [Hidden D] = normal(std=0.2)
    param offset: [D] = zeros

## The codes that x may have: their mean, and the log of their spread.
fn code_means(m: Vae, x: [n D]) -> [n Z] = tanh(x @ m.enter) @ m.mean

fn code_log_stds(m: Vae, x: [n D]) -> [n Z] = tanh(x @ m.enter) @ m.log_std

## What a code stands for.
fn decoded(m: Vae, z: [n Z]) -> [n D] = tanh(z @ m.open) @ m.leave + m.offset

## One code for each x, drawn. Gradients reach the mean and the spread.
fn coded(m: Vae, x: [n D], mode: Mode) -> [n Z]:
    return code_means(m, x) + exp(code_log_stds(m, x)) * normal([n Z], mode)

## x by way of a code. With Sample it draws as it does in training; with Eval there is nothing to draw from.
fn forward(m: Vae, x: [n D], mode: Mode) -> [n D] = coded(m, x, mode) |> decoded(m, _)

## The negative evidence lower bound of each x, but for a constant.
fn loss(m: Vae, x: [n D], mode: Mode) -> []:
    missed = sum(square(forward(m, x, mode) - x)) / 0.02
    mean = code_means(m, x)
    log_std = code_log_stds(m, x)
    spread = sum(square(mean) + exp(2.0 * log_std) - 2.0 * log_std - 1.0)
    return 0.5 * (missed + spread) / n

## New values like those that it was trained on.
fn generated(m: Vae, mode: Mode) -> [B D] = normal([B Z], mode) |> decoded(m, _)

## Points near two places.
fn data(mode: Mode) -> [B D]:
    side = where(uniform([B 1], mode) < 0.5, -1.0, 1.0)
    return side + normal([B D], mode, std=0.1)

fn train(mut m: Vae, mut opt: AdamW[Vae], steps: int, mode: Mode) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        l, g = value_and_grad(loss, m, data(mode), mode)
        update(mut m, mut opt, g |> clip_norm(10.0))
        last = l
    return last

fn optimizer(m: Vae) -> AdamW[Vae] = adamw(m, lr=0.02)
