# A two-layer classifier, and everything that trains it: no trainer, no callbacks, no hooks.

devices cpu

## Pixels of an image, hidden units, and classes.
dim D = 784
dim Hd = 256
dim C = 10

## A two-layer perceptron.
model Mlp:
    param w1: [D Hd] = normal(std=0.02)
    param w2: [Hd C] = normal(std=0.02)

## One labelled image.
data Digit:
    img: [D]
    label: [] Index[C]

## What a step reports, and how the values of several steps combine.
logs StepLogs:
    loss: [] mean
    grad_norm: [] max

## Scores for each class. With Train, a tenth of the hidden units is dropped at random.
fn forward(m: Mlp, x: [b D], mode: Mode) -> [b C] Logit over C:
    return x @ m.w1 |> gelu |> dropout(0.1, mode) |> matmul(m.w2)

fn loss(m: Mlp, batch: [b] Digit, mode: Mode) -> [] NonNeg:
    return forward(m, batch.img, mode) |> cross_entropy(batch.label, over=C)

## One step: the gradient, at most 1 long, moves the model.
fn train_step(mut m: Mlp, mut opt: AdamW[Mlp], batch: [b] Digit, mode: Mode) -> StepLogs:
    l, g = value_and_grad(loss, m, batch, mode)
    update(mut m, mut opt, g |> clip_norm(1.0))
    return StepLogs(loss=l, grad_norm=norm(g))

## Epochs from `first` up to `epochs`, each in an order of its own, with a checkpoint after each.
fn run(
    mut m: Mlp,
    mut opt: AdamW[Mlp],
    train: Dataset[Digit],
    sink: LogSink,
    first: int,
    epochs: int,
    mode: Mode,
):
    for epoch in first..epochs:
        for batch in train |> shuffle(seed=epoch) |> batches(64):
            sink.write(train_step(mut m, mut opt, batch, mode))
        sink.flush()
        save("ckpt.pt", m, opt, epoch + 1)

## Trains a model from where it is.
fn fit(mut m: Mlp, train: Dataset[Digit], sink: LogSink, epochs: int, mode: Mode):
    opt = adamw(m, lr=3e-4)
    run(mut m, mut opt, train, sink, 0, epochs, mode)

## Carries on from the last checkpoint.
fn resume(train: Dataset[Digit], sink: LogSink, epochs: int, mode: Mode) -> Mlp:
    m, opt, done = load("ckpt.pt", Mlp, AdamW[Mlp], int)
    run(mut m, mut opt, train, sink, done, epochs, mode)
    return m
