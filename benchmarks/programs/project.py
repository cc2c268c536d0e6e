"""Makes a project of many ShapeScript files that import each other, for the benchmarks and tests of checking.

    python benchmarks/programs/project.py FOLDER [FILES]

Sizes and data, curves, and generic training functions are in a file each, which every layer imports. A layer is a
model with its functions. It imports the layer before it, so that there is a chain through all of them, and an earlier
one, so that what lies deep is reached by many ways. `main.ss` imports every layer. The same number of files gives the
same project.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

SIZES = """\
devices cpu

dim Width = 32
dim Hidden = 64
dim Classes = 10

data Example:
    x: [Width]
    y: [] Index[Classes]

## Class scores by the first of the features.
fn scores(x: [b Width]) -> [b Classes]:
    first = x[:, 0:Classes] as [b Classes]
    return first - mean(first, over=Classes)
"""

CURVES = """\
fn bent(x: Real, by: float = 0.5) -> Real = x * sigmoid(by * x)

fn leaning(x: Real) -> Real = relu(x) - 0.1 * relu(-x)

fn squeezed(x: Real) -> Signed = tanh(x)

fn kept(x: [n k], share: float) -> [n k]:
    level = mean(x, over=k) * share
    return where(x > level, x, 0.0)
"""

TRAINING = """\
## One step on any model with a loss.
fn descend(mut m: M, mut opt: SGD[M], batch: [b] E) -> []:
    l, g = value_and_grad(loss, m, batch)
    update(mut m, mut opt, g |> clip_norm(1.0))
    return l

fn fit(mut m: M, examples: Dataset[E], epochs: int):
    opt = sgd(m, lr=0.1)
    for epoch in 0..epochs:
        for batch in examples |> shuffle(seed=epoch) |> batches(32):
            l = descend(mut m, mut opt, batch)
"""

LAYER = """\
model Layer:
    param down: [sizes.Width sizes.Hidden] = normal(std=0.1)
    param up: [sizes.Hidden sizes.Width] = normal(std=0.1)
    param gain: [sizes.Width] = ones

## Features, bent by {number}.
fn forward(m: Layer, x: [b sizes.Width]) -> [b sizes.Width]:
    h = normalized(x) @ m.down |> curves.bent(by={number})
    y = h |> curves.leaning |> matmul(m.up)
    return y * m.gain + x * {number}

fn normalized(x: [b sizes.Width]) -> [b sizes.Width]:
    centred = x - mean(x, over=sizes.Width)
    return centred / sqrt(mean(square(centred), over=sizes.Width) + 0.001)

fn mixed(x: [b n sizes.Width]) -> [b n sizes.Width]:
    weights = einsum(x, x: b n sizes.Width, b m sizes.Width -> b n m) / {number} |> softmax(over=m)
    pooled = einsum(weights, x: b n m, b m sizes.Width -> b n sizes.Width)
    heads = pooled |> rearrange(b n (h d) -> b h n d, h=4) |> curves.leaning
    together = heads |> rearrange(b h n d -> b n (h d))
    return (together as [b n sizes.Width]) {sign} x * {number}

fn looped(x: [b sizes.Width], times: int) -> [b sizes.Width]:
    y = x
    for i in 0..times:
        y = y * {number} |> curves.squeezed
        if times > {count}:
            y = y - mean(y, over=sizes.Width)
    return y |> curves.kept(share={number})

fn entropy(x: [b sizes.Width]) -> [b]:
    p = softmax(x, over=sizes.Width)
    return -sum(p * log(p + 0.001), over=sizes.Width)

fn loss(m: Layer, batch: [b] sizes.Example) -> [] NonNeg:
    return forward(m, batch.x) |> sizes.scores |> cross_entropy(batch.y, over=sizes.Classes)

fn train(mut m: Layer, examples: Dataset[sizes.Example]):
    training.fit(mut m, examples, {count})
"""

BELOW = """\

## As the layers below do it, with what this one adds.
fn stacked(x: [b sizes.Width]) -> [b sizes.Width]:
    below = {before}.stacked(x) |> curves.bent
    across = {earlier}.looped(x, {count})
    return below {sign} across * {number}

fn compared(m: Layer, other: {before}.Layer, x: [b sizes.Width]) -> [b]:
    return sum(square(forward(m, x) - forward(other, x)), over=sizes.Width)
"""

BOTTOM = """\

fn stacked(x: [b sizes.Width]) -> [b sizes.Width] = looped(x, {count}) |> curves.bent
"""


def project(files: int) -> dict[str, str]:
    """The texts of a project of so many files, at least six, by name."""
    rng = random.Random(0)
    texts = {"sizes.ss": SIZES, "curves.ss": CURVES, "training.ss": TRAINING}
    names: list[str] = []
    for number in range(files - len(texts) - 1):
        texts[f"layer{number}.ss"] = _layer(names, rng)
        names.append(f"layer{number}")
    texts["main.ss"] = _main(names)
    return texts


def _layer(before: list[str], rng: random.Random) -> str:
    earlier = before[len(before) // 2 :][:1]
    imports = dict.fromkeys(["sizes", "curves", "training", *earlier, *before[-1:]])
    body = LAYER + (BELOW if before else BOTTOM)
    places = {
        "number": f"{rng.uniform(0.1, 3):.3f}",
        "count": str(rng.randint(2, 6)),
        "sign": rng.choice("+-"),
        "before": "".join(before[-1:]),
        "earlier": "".join(earlier),
    }
    return "".join(f"import {name}\n" for name in imports) + "\n" + body.format_map(places)


def _main(layers: list[str]) -> str:
    imports = "".join(f"import {name}\n" for name in ["sizes", *layers])
    trains = "\n".join(
        f"fn train_{name}(mut m: {name}.Layer, examples: Dataset[sizes.Example]):\n"
        f"    {name}.train(mut m, examples)\n"
        for name in layers
    )
    top = f"fn outcome(x: [b sizes.Width]) -> [b sizes.Width] = {layers[-1]}.stacked(x)\n"
    return f"devices cpu\n\n{imports}\n{top}\n{trains}"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in project(int(sys.argv[2]) if len(sys.argv) > 2 else 40).items():
        (folder / name).write_text(text, encoding="utf-8")
