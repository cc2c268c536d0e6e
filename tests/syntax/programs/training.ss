## Three layers.
model Net:
    ## From pixels.
    param w1: [784 256] = normal(std=0.02)

    param w2: [256 10] f32 = uniform(-0.1, hi=1 / 10)
    buffer seen: [] i64 = zeros
    param bare: [D]

## One picture.
data Digit:
    img:   [784] Unit
    ## What it shows.
    label: [] Index[10]

logs Step:
    loss:  [] NonNeg f32 mean
    steps: int last

fn forward(m: Net, x: [b 784], mode: Mode) -> [b 10] Logit over C:
    h = x @ m.w1 |> gelu
    if mode == Eval or (b > 3 and !false):
        return h @ m.w2
    else:
        if b <= 2:
            return dropout(h, 0.5, mode) @ m.w2
        h = -h as [b 256] + 2 * h to f16 - h[0, 1:, :-1, ::2, lo:hi:step]
    return h @ m.w2

fn run(mut m: Net, mut opt: SGD[vision.Net], train: Dataset[vision.Digit], epochs: int, rate: float = 1e-3):
    for epoch in 0..epochs * 2:
        for batch in train |> shuffle(seed=epoch) |> batches(64):
            l, g = value_and_grad(loss, m, batch, Train(seed=epoch))
            update(mut m, mut opt, g |> clip_norm(1.0), rate=rate)
            m.w1 = m.w1 - 0.1 * g.w1
            sink.write(Step(loss=l, steps=epoch))
        print("epoch", "a \"quoted\" word\n", epoch, 1_000, 16.5e-3, true)
        save("net.pt", m, opt, epoch + 1)
    m, opt, done = load("net.pt", Net, SGD[Net], int)
    return
