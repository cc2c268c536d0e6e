"""What compiled ShapeScript costs beside the best PyTorch that one would write by hand for the same thing.

    python benchmarks/generated_code.py

Calls an attention block and a network of two layers, as compiled and as written by hand, in turns on one thread. The
compiled ones check their arguments, as they do by default; the ones by hand check nothing. What checks cost is the same
at any size, so it shows at sizes that no one uses, which are there to see it, and vanishes at large ones.

Exits 1 if compiled code takes 2 % more than that by hand at the smallest sizes that are of use: an attention block over
two times 32 tokens of width 256, and a network of 784, 256 and 10 over 64 images.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from measuring.turns import take_turns
from torch import Tensor

import shapescript

BUDGET = 1.02
HERE = Path(__file__).resolve().parent
ATTENTION = HERE.parent / "examples" / "attention.ss"
FUSED = HERE / "programs" / "fused_attention.ss"
MLP = HERE / "programs" / "mlp.ss"

Function = Callable[..., Tensor]


def attention_by_hand(width: int, heads: int) -> Function:
    each = width // heads

    def causal_attention(x: Tensor, w_qkv: Tensor, w_o: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = (x @ w_qkv).view(b, n, 3, heads, each).permute(2, 0, 3, 1, 4).unbind()
        scores = q @ k.mT / math.sqrt(each)
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        attended = scores.masked_fill(later, -math.inf).softmax(3)
        return (attended @ v).transpose(1, 2).flatten(2) @ w_o

    return causal_attention


def fused_attention_by_hand(width: int, heads: int) -> Function:
    each = width // heads

    def causal_attention(x: Tensor, w_qkv: Tensor, w_o: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = (x @ w_qkv).view(b, n, 3, heads, each).permute(2, 0, 3, 1, 4).unbind()
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2) @ w_o

    return causal_attention


def mlp_by_hand(images: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return torch.relu(images @ w1 + b1) @ w2 + b2


def with_sizes(path: Path, **sizes: int) -> str:
    """A program's text with other sizes for its dims."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        for name, size in sizes.items():
            if line.startswith(f"dim {name} = "):
                lines[i] = f"dim {name} = {size}"
    return "\n".join(lines) + "\n"


def compare(what: str, text: str, function: str, by_hand: Function, arguments: tuple[Tensor, ...]) -> float:
    """Prints a line, and gives how many times as long the compiled function takes."""
    compiled = getattr(shapescript.compile(text), function)
    unchecked = getattr(shapescript.compile(text, checks="off"), function)
    torch.testing.assert_close(compiled(*arguments), by_hand(*arguments))
    turns = take_turns(
        {
            "by hand": lambda: by_hand(*arguments),
            "compiled": lambda: compiled(*arguments),
            "unchecked": lambda: unchecked(*arguments),
        },
        seconds=5,
    )
    ratio = turns.ratio("compiled", "by hand")
    print(
        f"  {what:<52}{turns.microseconds('by hand'):9.1f} µs{turns.microseconds('compiled'):9.1f} µs"
        f"{ratio:8.3f}{turns.ratio('unchecked', 'by hand'):10.3f}",
        flush=True,
    )
    return ratio


def attention(b: int, n: int, width: int, heads: int, *, fused: bool = False) -> float:
    program = FUSED if fused else ATTENTION
    by_hand = (fused_attention_by_hand if fused else attention_by_hand)(width, heads)
    weights = (torch.randn(width, k * width) / math.sqrt(width) for k in (3, 1))
    text = with_sizes(program, D=width, H=heads)
    what = f"{'fused ' if fused else ''}attention, {b} x {n} tokens of width {width}"
    return compare(what, text, "causal_attention", by_hand, (torch.randn(b, n, width), *weights))


def mlp(images: int, pixels: int, hidden: int, classes: int) -> float:
    text = with_sizes(MLP, Pixels=pixels, Hidden=hidden, Classes=classes)
    shapes = (images, pixels), (pixels, hidden), (hidden,), (hidden, classes), (classes,)
    what = f"network, {images} images, {pixels}, {hidden} and {classes}"
    return compare(what, text, "classify", mlp_by_hand, tuple(torch.randn(*s) for s in shapes))


def main() -> int:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with torch.no_grad():
        print("one call, and how many times as long the compiled function takes\n")
        print(f"  {'':<52}{'by hand':>12}{'compiled':>12}{'ratio':>8}{'unchecked':>10}")
        attention(1, 8, 64, 4)
        attention(1, 8, 64, 4, fused=True)
        mlp(1, 16, 16, 4)
        print(f"\n  within {BUDGET:.2f}:")
        held = [attention(2, 32, 256, 4), attention(2, 32, 256, 4, fused=True), mlp(64, 784, 256, 10)]
    return int(max(held) > BUDGET)


if __name__ == "__main__":
    sys.exit(main())
