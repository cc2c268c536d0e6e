# A mixture of experts: each token goes to the two experts that its router scores highest.

devices cpu

dim D = 8
dim Experts = 4
dim Active = 2
dim Hidden = 16

model Mixture:
    param router: [D Experts] = normal(std=0.3)
    param enter: [Experts D Hidden] = normal(std=0.3)
    param leave: [Experts Hidden D] = normal(std=0.3)

## The experts that each token goes to, best first.
fn chosen(m: Mixture, x: [n D]) -> [n Active] Index[Experts]:
    scores, best = topk(x @ m.router, Active, over=Experts)
    return best

## Each token through its experts, whose results are weighed by their scores.
fn forward(m: Mixture, x: [n D]) -> [n D]:
    scores, best = topk(x @ m.router, Active, over=Experts)
    share = softmax(scores, over=Active)
    hidden = einsum(x, m.enter[best]: n D, n a D h -> n a h) |> gelu
    answers = einsum(hidden, m.leave[best]: n a h, n a h D -> n a D)
    return einsum(share, answers: n a, n a D -> n D)

## How many of the tokens' choices fall on each expert.
fn load(m: Mixture, x: [n D]) -> [Experts]:
    return index_add(zeros([Experts]), chosen(m, x), ones([n Active]), over=Experts)

## How far the experts' shares are from equal: the product of what was sent to each and what its scores ask for.
fn imbalance(m: Mixture, x: [n D]) -> []:
    asked = mean(softmax(x @ m.router, over=Experts), over=n)
    return sum(asked * load(m, x)) * (Experts / (n * Active))

fn loss(m: Mixture, x: [n D], y: [n D]) -> []:
    return mse_loss(forward(m, x), y) + 0.01 * imbalance(m, x)

fn train(mut m: Mixture, mut opt: AdamW[Mixture], x: [n D], y: [n D], steps: int) -> []:
    last = 0.0 to f32
    for step in 0..steps:
        l, g = value_and_grad(loss, m, x, y)
        update(mut m, mut opt, g)
        last = l
    return last

fn optimizer(m: Mixture) -> AdamW[Mixture] = adamw(m, lr=0.02)
