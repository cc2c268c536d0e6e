# How well a model does, as single numbers and tables. Of several batches, add up confusion matrices, and weigh
# accuracies by how many examples each is of.

## The share of examples whose label has the highest score. Scores are logits, probabilities or anything else to compare.
fn accuracy(scores: [n classes], labels: [n] Index[classes]) -> [] Unit:
    return mean((argmax(scores, over=classes) == labels) to Binary)

## How many examples of each class, by row, were taken for each class, by column.
fn confusion_matrix(scores: [n classes], labels: [n] Index[classes]) -> [classes classes] i64:
    none = rearrange(full([classes*classes], 0), cell -> cell)
    cells = labels * classes + argmax(scores, over=classes)
    return index_add(none, cells, full([n], 1), over=cell)
        |> rearrange((actual predicted) -> actual predicted, predicted=classes)

## How many tokens, all equally likely, would be as hard to guess as the targets were: the exponential of their mean
## cross-entropy. `targets` are the tokens that the logits at their places predict.
## Jelinek et al., 1977, https://doi.org/10.1121/1.2016299
fn perplexity(
    logits: [b n vocabulary] Logit over vocabulary,
    targets: [b n] Index[vocabulary],
) -> [] Pos:
    return exp(cross_entropy(logits, targets, over=vocabulary))
