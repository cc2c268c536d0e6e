# A memory that is written to and read from: the delta rule, as one matrix_scan over the whole sequence.

devices cpu

## Keys, values, and how many numbers stand for each.
dim Keys = 6
dim Values = 8
dim W = 8

## The sequences of a step, and how many writes each has.
dim B = 16
dim T = 12

## Vectors of keys and values, how strongly a write replaces what was there, and how a value is read off.
model Memory:
    param key: [Keys W] = normal(std=0.5)
    param value: [Values W] = normal(std=0.5)
    param strength: [] = zeros
    param read: [W Values] = normal(std=0.5)

## The memory after each write: S[t] = (I - s k k') S[t-1] + s k v', which forgets what k stood for before.
fn memories(m: Memory, keys: [b t] Index[Keys], values: [b t] Index[Values]) -> [b t W W]:
    s = sigmoid(m.strength)
    k = normalize(m.key, over=W)[keys]
    erased = s * einsum(k, k: b t i, b t j -> b t i j)
    written = s * einsum(k, m.value[values]: b t i, b t j -> b t i j)
    return matrix_scan(rearrange(eye(W), i j -> i j) - erased, written, over=t)

## Which value a key has after all writes.
fn recalled(
    m: Memory,
    keys: [b t] Index[Keys],
    values: [b t] Index[Values],
    asked: [b] Index[Keys],
) -> [b Values] Logit over Values:
    memory = memories(m, keys, values)[:, t - 1]
    q = normalize(m.key, over=W)[asked]
    return einsum(q, memory: b i, b i j -> b j) @ m.read

## The value of the last write to each key that is asked for.
fn last_written(
    keys: [b t] Index[Keys],
    values: [b t] Index[Values],
    asked: [b] Index[Keys],
) -> [b] Index[Values]:
    here = keys == rearrange(asked, b -> b 1)
    last = max(where(here, iota(t), 0), over=t)
    return gather(values, rearrange(last, b -> b 1), over=t) |> rearrange(b 1 -> b)

fn loss(
    m: Memory,
    keys: [b t] Index[Keys],
    values: [b t] Index[Values],
    asked: [b] Index[Keys],
) -> [] NonNeg:
    return recalled(m, keys, values, asked)
        |> cross_entropy(last_written(keys, values, asked), over=Values)

fn random_keys(mode: Mode) -> [B T] Index[Keys]:
    return floor(uniform([B T], mode, high=Keys)) to i64 as [B T] Index[Keys]

fn random_values(mode: Mode) -> [B T] Index[Values]:
    return floor(uniform([B T], mode, high=Values)) to i64 as [B T] Index[Values]

## Trains on new sequences at each step, asking for the key that was written first.
fn train(mut m: Memory, mut opt: AdamW[Memory], steps: int, mode: Mode) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        keys = random_keys(mode)
        l, g = value_and_grad(loss, m, keys, random_values(mode), keys[:, 0])
        update(mut m, mut opt, g)
        last = l
    return last

fn optimizer(m: Memory) -> AdamW[Memory] = adamw(m, lr=0.05)
