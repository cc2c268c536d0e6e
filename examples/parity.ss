# Which of several automata a sequence comes from: table_scan runs them, and a model learns which one to believe.

devices cpu

## The automata, the most states that one has, and the symbols that they read.
dim Kinds = 3
dim States = 3
dim Bits = 2

## One column of scores for each state of each automaton.
model Reader:
    param belief: [Kinds] = zeros
    param score: [Kinds States] = normal(std=0.1)

## Whether the ones so far are odd in number: a 1 changes the state, and a 0 keeps it.
fn parity_table() -> [States Bits] Index[States]:
    state = rearrange(iota(States), s -> s 1)
    bit = rearrange(iota(Bits), k -> 1 k)
    return where(
        bit == 1,
        where(state == 0, 1, 0),
        minimum(state, 1),
    ) as [States Bits] Index[States]

## How many of the last bits in a row were 1, up to 2.
fn streak_table() -> [States Bits] Index[States]:
    state = rearrange(iota(States), s -> s 1)
    bit = rearrange(iota(Bits), k -> 1 k)
    return (minimum(state + 1, 2) * bit) as [States Bits] Index[States]

## The bit that was read last.
fn last_table() -> [States Bits] Index[States]:
    state = rearrange(iota(States), s -> s 1)
    bit = rearrange(iota(Bits), k -> 1 k)
    return (0 * state + bit) as [States Bits] Index[States]

## The parity so far, at each bit.
fn parity(bits: [b t] Index[Bits]) -> [b t] Index[States] = table_scan(parity_table(), bits, over=t)

## A score at each bit: the mean of what the automata's states say, by how much each is believed.
fn scores(m: Reader, bits: [b t] Index[Bits]) -> [b t]:
    odd = m.score[0][parity(bits)]
    streak = m.score[1][table_scan(streak_table(), bits, over=t)]
    last = m.score[2][table_scan(last_table(), bits, over=t)]
    return einsum(
        stack(odd, streak, last, over=Kinds),
        softmax(m.belief, over=Kinds): k b t,
        k -> b t,
    )

fn loss(m: Reader, bits: [b t] Index[Bits], odd: [b t] Unit) -> [] NonNeg:
    return binary_cross_entropy_with_logits(scores(m, bits), odd)

fn train(
    mut m: Reader,
    mut opt: AdamW[Reader],
    bits: [b t] Index[Bits],
    odd: [b t] Unit,
    steps: int,
) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        l, g = value_and_grad(loss, m, bits, odd)
        update(mut m, mut opt, g)
        last = l
    return last

fn optimizer(m: Reader) -> AdamW[Reader] = adamw(m, lr=0.1)
