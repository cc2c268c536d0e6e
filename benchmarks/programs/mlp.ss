# A network of two layers that tells handwritten digits apart.

devices cpu

dim Pixels = 784
dim Hidden = 256
dim Classes = 10

## A score for each class of each image.
fn classify(images: [b Pixels], w1: [Pixels Hidden], b1: [Hidden], w2: [Hidden Classes], b2: [Classes]) -> [b Classes]:
    hidden = relu(images @ w1 + b1)
    return hidden @ w2 + b2
