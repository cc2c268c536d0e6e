"""`log_softmax(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Softmax

OPERATION = Softmax(
    "log_softmax",
    "fn log_softmax(x: [... n] Logit over n, over: Axis[n]) -> [... n] LogProb over n",
    "Turns logits into the logarithms of probabilities along an axis, which stay finite where the probabilities "
    "themselves would be 0.",
    """\
dim Vocab = 20

## How likely each written token was, from the scores of a language model.
fn token_log_likelihood(scores: [t Vocab], tokens: [t] Index[Vocab]) -> [t]:
    chosen = gather(log_softmax(scores, over=Vocab), rearrange(tokens, t -> t 1), over=Vocab)
    return rearrange(chosen, t 1 -> t)
""",
    domain="LogProb",
)
