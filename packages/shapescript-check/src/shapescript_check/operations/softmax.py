"""`softmax(x, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.along import Softmax

OPERATION = Softmax(
    "softmax",
    "fn softmax(x: [... n] Logit over n, over: Axis[n]) -> [... n] Prob over n",
    "Turns logits into probabilities along an axis: positive numbers that sum to 1.",
    """\
dim Sources = 6

## One value mixed from several, each weighed by its score.
fn attend(scores: [n Sources], values: [Sources d]) -> [n d]:
    weights = softmax(scores, over=Sources)
    return weights @ values
""",
    domain="Prob",
)
