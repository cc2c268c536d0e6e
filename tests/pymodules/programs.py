"""A program with a declaration of every kind, for the tests of generated Python modules."""

from __future__ import annotations

from pathlib import Path

from shapescript.importing.files import Files
from shapescript_check import Checker
from shapescript_check.pymodules import module_text

EVERY_KIND = r'''devices cpu

import python math

## Pixels, of an image "as is": \frac{1}{2} in """.
dim D = 8
dim C = 2 * D
dim pass = 3

dim Images = [b 3 h w]

domain Small = (0, 1)

## A linear classifier.
model Linear:
    ## Pixels to classes.
    param w: [D C] = normal(std=0.02)
    buffer seen: [] i64 = zeros

## An image and its class.
data Digit:
    ## The pixels.
    img: [D]
    label: [] Index[C]

## What a step reports.
logs StepLogs:
    loss: [] mean

extern fn bessel(x: Real) -> Signed = "torch.special.bessel_j0"

## Scores.
fn forward(m: Linear, x: [b D], mode: Mode) -> [b C] Logit over C:
    return x @ m.w |> dropout(0.1, mode)

export fn scaled(x: [n], by: float = 2.0, add=1, on: bool = true, eps: Pos = 1e-5) -> [n]:
    return x * by + add + eps

fn halves(x: Real) = x / 2

fn late(x: [n], lambda: float = 1.0, y: [n]) -> [n] = x * lambda + y

fn loss(m: Linear, batch: [b] Digit, mode: Mode) -> [] NonNeg:
    return forward(m, batch.img, mode) |> cross_entropy(batch.label, over=C)

fn train_step(mut m: Linear, mut opt: AdamW[Linear], batch: [b] Digit, mode: Mode) -> StepLogs:
    l, g = value_and_grad(loss, m, batch, mode)
    update(mut m, mut opt, g)
    return StepLogs(loss=l)

fn optimizer(m: Linear, lr: Schedule = 0.001) -> AdamW[Linear] = adamw(m, lr=lr)

fn descent(m: Linear) -> SGD[Linear] = sgd(m, lr=0.1)

fn schedule(steps: int) -> Schedule = cosine(peak=0.1, steps=steps)

fn clipped(g: Grad[Linear], most: float) -> Grad[Linear] = g |> clip_norm(most)

fn fit(mut m: Linear, mut opt: AdamW[Linear], train: Dataset[Digit], sink: LogSink, mode: Mode):
    for batch in train |> batches(4):
        sink.write(train_step(mut m, mut opt, batch, mode))

fn made(seed: int) -> Linear = Linear.init(seed=seed)

fn table(ids: [b] Index[V]) -> [b V] = one_hot(ids)

fn root(x: float):
    return math.sqrt(x)
'''


IMPORTED = """\
devices cpu

dim D = 8

model Other:
    param w: [D D] = zeros

data Image:
    img: [D]

logs Seen:
    loss: [] mean

fn forward(m: Other, x: [b D]) -> [b D] = x @ m.w
"""

# With `imported.ss` beside it.
IMPORTING = """\
devices cpu

import imported

model Own:
    param w: [imported.D imported.D] = zeros

data Pair:
    left: [imported.D]

## For the model of another file.
fn forward(m: imported.Other, x: [b imported.D]) -> [b imported.D] = imported.forward(m, x)

## For the model of this one.
fn forward(m: Own, x: [b imported.D]) -> [b imported.D] = x @ m.w

fn seen(batch: [b] imported.Image, m: imported.Other) -> imported.Seen:
    return imported.Seen(loss=mean(batch.img))

## For any model.
fn twice(m: M, x: [b imported.D], times: int = 2) -> [b imported.D] = forward(m, forward(m, x))

fn each(mut m: M, mut opt: SGD[M], train: Dataset[E], one: E, grad: Grad[M]):
    for batch in train |> batches(2):
        print(1)

fn told(m: M):
    return m

fn use(m: Own, x: [b imported.D]) -> [b imported.D] = twice(m, x)
"""


def generated(text: str, path: str = "model.ss") -> str:
    """The Python module of a program that has no errors. Files that it imports are looked for beside `path`."""
    program = Checker().check(path, text, importer=Files([]))
    assert not program.has_errors, [d.message for d in program.diagnostics]
    return module_text(program)


def write_both(folder: Path, text: str, name: str = "model") -> None:
    """Puts a program and its Python module into a folder."""
    (folder / f"{name}.ss").write_text(text, encoding="utf-8")
    (folder / f"{name}.py").write_text(generated(text, str(folder / f"{name}.ss")), encoding="utf-8")
