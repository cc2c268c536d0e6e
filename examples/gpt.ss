# A GPT over characters: it learns to write as the text does that it reads (Radford et al., 2018), with rotary positions.

devices cpu

## Printable characters of ASCII, and the end of a line.
dim V = 96
## How many characters it sees at once.
dim T = 64

## Layers, and the width of the vectors between them.
dim L = 2
dim D = 32
## Heads of attention, the width of each, and half of that.
dim H = 2
dim Dh = D / H
dim Half = Dh / 2

## The weights of all layers, one after the other along L. The embedding of a character also scores it at the end.
model Gpt:
    param embedding: [V D] = normal(std=0.05)
    param attention_norm: [L D] = ones
    param w_qkv: [L D 3*D] = normal(std=0.1)
    param w_o: [L D D] = normal(std=0.05)
    param mlp_norm: [L D] = ones
    param w_in: [L D 4*D] = normal(std=0.1)
    param w_out: [L 4*D D] = normal(std=0.05)
    param last_norm: [D] = ones

## A piece of the text: at each place but the last, the next character is to be guessed.
data Piece:
    text: [T+1] Index[V]

logs StepLogs:
    loss: [] mean

## Queries or keys, turned by their positions, so that their products depend on distances (Su et al., 2021).
fn turned(x: [b H n Dh]) -> [b H n Dh]:
    angle = rearrange(iota(n), n -> n 1) / pow(10000.0, iota(Half) / Half)
    x1, x2 = x |> split(b H n (2 Half) -> b H n Half)
    left = x1 * cos(angle) - x2 * sin(angle)
    right = x2 * cos(angle) + x1 * sin(angle)
    return cat(left, right, over=Half)

fn attention(x: [b n D], w_qkv: [D 3*D], w_o: [D D]) -> [b n D]:
    q, k, v = x @ w_qkv |> split(b n (3 H Dh) -> b H n Dh)
    return scaled_dot_product_attention(turned(q), turned(k), v, is_causal=true)
        |> rearrange(b H n Dh -> b n (H Dh))
        |> matmul(w_o)

fn mlp(x: [b n D], w_in: [D 4*D], w_out: [4*D D]) -> [b n D] = gelu(x @ w_in) @ w_out

## Scores for the character after each one.
fn forward(m: Gpt, text: [b n] Index[V]) -> [b n V] Logit over V:
    x = m.embedding[text]
    for i in 0..L:
        h = x |> layer_norm(over=D, weight=m.attention_norm[i])
        x = x + attention(h, m.w_qkv[i], m.w_o[i])
        h = x |> layer_norm(over=D, weight=m.mlp_norm[i])
        x = x + mlp(h, m.w_in[i], m.w_out[i])
    return x |> layer_norm(over=D, weight=m.last_norm) |> matmul(rearrange(m.embedding, V D -> D V))

fn loss(m: Gpt, batch: [b] Piece) -> [] NonNeg:
    return forward(m, batch.text[:, :-1]) |> cross_entropy(batch.text[:, 1:], over=V)

## Reads the pieces `epochs` times.
fn train(mut m: Gpt, pieces: Dataset[Piece], sink: LogSink, epochs: int, lr: Schedule):
    opt = adamw(m, lr=lr)
    for epoch in 0..epochs:
        for batch in pieces |> shuffle(seed=epoch) |> batches(16):
            l, g = value_and_grad(loss, m, batch)
            update(mut m, mut opt, g |> clip_norm(1.0))
            sink.write(StepLogs(loss=l))

## A character to follow the text, drawn by the probabilities that its scores stand for: noise of this kind makes the
## largest score a draw from their softmax (Gumbel, 1954). Lower temperatures draw likelier characters.
fn drawn(m: Gpt, text: [b n] Index[V], temperature: float, mode: Mode) -> [b] Index[V]:
    noise = -log(-log(uniform([b V], mode, low=1e-6, high=0.999999)))
    return argmax(forward(m, text)[:, n - 1] / temperature + noise, over=V)

## The T characters that follow, each drawn from those before it.
fn continued(m: Gpt, text: [b T] Index[V], temperature: float, mode: Mode) -> [b T] Index[V]:
    for i in 0..T:
        next = drawn(m, text, temperature, mode) |> rearrange(b -> b 1)
        text = where(iota(T) == T - 1, next, roll(text, -1, over=T))
    return text
