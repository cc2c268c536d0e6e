# A training loop for any model M and any data record E, given a `loss(m: M, batch: [b] E, mode: Mode) -> []` beside the
# model. It has nothing to set but what its parameters say: to change the loop, copy the file.

## What a step reports, and how the values of several steps combine.
logs StepLogs:
    loss: [] mean
    grad_norm: [] max

## One step of AdamW, by the gradient with its norm clipped to 1.
## Loshchilov and Hutter, 2019, https://arxiv.org/abs/1711.05101
fn train_step(mut m: M, mut opt: AdamW[M], batch: [b] E, mode: Mode) -> StepLogs:
    l, g = value_and_grad(loss, m, batch, mode)
    update(mut m, mut opt, g |> clip_norm(1.0))
    return StepLogs(loss=l, grad_norm=norm(g))

## Epochs `first` to `epochs` - 1, each in an order that its number decides, in batches of `size`. After each, the sink is
## flushed, and ckpt.pt holds the model, the optimizer's state and how many epochs are done.
fn run(
    mut m: M,
    mut opt: AdamW[M],
    train: Dataset[E],
    sink: LogSink,
    first: int,
    epochs: int,
    size: int,
    mode: Mode,
):
    for epoch in first..epochs:
        for batch in train |> shuffle(seed=epoch) |> batches(size):
            sink.write(train_step(mut m, mut opt, batch, mode))
        sink.flush()
        save("ckpt.pt", m, opt, epoch + 1)

## Trains `m` for `epochs` epochs.
fn fit(
    mut m: M,
    train: Dataset[E],
    sink: LogSink,
    epochs: int,
    size: int,
    lr: Schedule,
    mode: Mode,
):
    opt = adamw(m, lr=lr)
    run(mut m, mut opt, train, sink, 0, epochs, size, mode)

## Carries on from ckpt.pt until `epochs` epochs are done, with the steps of a run that never stopped, but for what `mode`
## draws, as draws depend on who calls. Nothing of `like` is read: it says which model the file holds.
fn resume(like: M, train: Dataset[E], sink: LogSink, epochs: int, size: int, mode: Mode) -> M:
    m, opt, done = load("ckpt.pt", M, AdamW[M], int)
    run(mut m, mut opt, train, sink, done, epochs, size, mode)
    return m
