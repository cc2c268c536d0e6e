fn halves(x: [n]) -> [n] = n |> map(i => x[i] / 2.0)

fn table() -> [3 D] f32 = 3 |> map(i => D |> map(j => (i + j) to f32))

fn pairs(x: [n], y: [n]) -> [n] = x
    |> zip(0..n, over=n)
    |> filter((a, b) => a > 0.0 and b != 0, over=n)
    |> map((a, _) => a * 2.0)
    |> map(clamp(0.0, 1.0))
    |> map(sub(1.0, _))
    |> map(to f32)
    |> sum

fn shift(x: [n D]) = 1..n - 1 |> map(t => x[t] - x[t - 1]) |> sum(over=n)

fn make(rate: float) -> [b D]:
    start = zeros([b D]) + full([D 2*D], rate) + normal([b D], Train(seed=0), std=0.1)
    return start
