"""Makes a long ShapeScript file of varied code, for the benchmarks that time the checker.

    python benchmarks/programs/large_file.py [LINES] > large.ss

Every function is put together at random from statements of many kinds (projections, attention, normalization,
masks, gathers, patterns, loops, branches, elementwise functions, calls of earlier functions), with its own names,
widths and order, so that no two are alike. The same seed gives the same file.
"""

from __future__ import annotations

import random
import sys

DIMS = {
    "Batch": 4,
    "Tokens": 16,
    "Width": 32,
    "Heads": 4,
    "HeadWidth": 8,
    "Hidden": 64,
    "Classes": 10,
    "Vocab": 100,
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Writer:
    """Writes functions that take a [b n Width] and give one, each by its own way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = ["devices cpu", ""]
        self.lines += [f"dim {name} = {size}" for name, size in DIMS.items()] + [""]
        self.lines += ["domain Temperature = [0.05, 10]", ""]
        self.functions: list[str] = []
        self.curves: list[str] = []

    def name(self) -> str:
        return "".join(self.random.choice(LETTERS) for _ in range(6)) + str(len(self.lines))

    def number(self) -> str:
        return f"{self.random.uniform(0.1, 3):.3f}"

    # --- declarations ---

    def curve(self) -> None:
        name = self.name()
        body = self.random.choice(
            (
                "x * sigmoid({0} * x)",
                "relu(x) - {0} * relu(-x)",
                "tanh({0} * x) * x + {0}",
                "clamp(x, -{0}, {0})",
            )
        ).format(self.number())
        self.lines += [f"## A curve through {self.number()}.", f"fn {name}(x: Real) -> Real = {body}", ""]
        self.curves.append(name)

    def classifier(self) -> None:
        self.lines += [
            f"fn {self.name()}(x: [b Width], w: [Width Classes], y: [b] Index[Classes]) -> [] NonNeg:",
            "    scores = x @ w |> log_softmax(over=Classes)",
            f"    smooth = -mean(scores, over=Classes) * {self.number()}",
            "    return cross_entropy(x @ w, y, over=Classes) + mean(smooth |> relu)",
            "",
        ]

    def mixer(self) -> None:
        name = self.name()
        masks = "keep: [b n] Mask, ids: [b n] Index[Vocab]"
        parameters = f"x: [b n Width], w: [Width Width], {masks}, table: [Vocab Width]"
        self.lines.append(f"fn {name}({parameters}) -> [b n Width]:")
        self.lines.append("    h = x")
        for _ in range(self.random.randint(3, 9)):
            self.lines += self.statement()
        self.lines += ["    return h", ""]
        self.functions.append(name)

    # --- statements, each of which gives a new h of the same type ---

    def statement(self) -> list[str]:
        kinds = (
            self.project,
            self.attend,
            self.normalize,
            self.mask,
            self.embed,
            self.loop,
            self.branch,
            self.scale,
            self.call,
            self.bend,
            self.pool,
        )
        return self.random.choice(kinds)()

    def project(self) -> list[str]:
        return [f"    h = h @ w * {self.number()} + h"]

    def attend(self) -> list[str]:
        m = "m" + self.name()
        return [
            "    q, k, v = cat(h, h @ w, h, over=Width) |> split(b n (3 Heads HeadWidth) -> b Heads n HeadWidth)",
            f"    s = einsum(q, k: b Heads n HeadWidth, b Heads {m} HeadWidth -> b Heads n {m}) / sqrt(HeadWidth)",
            f"    p = s |> masked_fill(!causal[n {m}], -inf) |> softmax(over={m})",
            f"    o = einsum(p, v: b Heads n {m}, b Heads {m} HeadWidth -> b Heads n HeadWidth)",
            "    h = h + (o |> rearrange(b Heads n HeadWidth -> b n (Heads HeadWidth))) as [b n Width]",
        ]

    def normalize(self) -> list[str]:
        mu = self.name()
        return [
            f"    {mu} = mean(h, over=Width)",
            f"    h = (h - rearrange({mu}, b n -> b n 1)) / {self.number()}",
        ]

    def mask(self) -> list[str]:
        filled = f"rearrange(b n Width -> Width b n) |> masked_fill(!keep, {self.number()})"
        return [f"    h = h |> {filled} |> rearrange(Width b n -> b n Width)"]

    def embed(self) -> list[str]:
        return [f"    h = h + table[ids] * {self.number()}"]

    def loop(self) -> list[str]:
        return [f"    for i in 0..{self.random.randint(2, 5)}:", f"        h = h * {self.number()} + i"]

    def branch(self) -> list[str]:
        added, taken = self.number(), self.number()
        return ["    if n > 3:", f"        h = h + {added}", "    else:", f"        h = h - x * {taken}"]

    def scale(self) -> list[str]:
        name = self.name()
        return [f"    {name} = sigmoid(h) * 2.0 - 1.0", f"    h = h * {name}"]

    def bend(self) -> list[str]:
        return [f"    h = h |> {self.random.choice(self.curves)}"] if self.curves else self.scale()

    def call(self) -> list[str]:
        if not self.functions:
            return self.project()
        return [f"    h = {self.random.choice(self.functions[-20:])}(h, w, keep, ids, table)"]

    def pool(self) -> list[str]:
        return [f"    h = h + max(h, over=n) * {self.number()}"]


def large_file(lines: int = 2400, seed: int = 0) -> str:
    """A file of about so many lines."""
    writer = Writer(seed)
    while len(writer.lines) < lines:
        writer.random.choice((writer.curve, writer.classifier, writer.mixer, writer.mixer, writer.mixer))()
    return "\n".join(writer.lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(large_file(int(sys.argv[1]) if len(sys.argv) > 1 else 2400))
