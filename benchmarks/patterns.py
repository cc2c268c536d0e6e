"""What compiled patterns cost, against einops, torch.einsum, and PyTorch written by hand.

    python benchmarks/patterns.py

Runs the patterns of a transformer and of a vision model at two sizes: one where the calls themselves count, and one
where the work does. Each pattern is a ShapeScript function; beside it stand the same pattern given to einops (or
torch.einsum), and the calls that a person would write. One run times them in turns. The compiled functions check their
arguments besides.

Prints how many times as long each takes as the compiled function: above 1 is slower than ShapeScript.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import einops
import torch
from measuring.turns import take_turns
from torch import Tensor

import shapescript
from shapescript_check import Checker

SOURCE = """\
devices cpu
dim D = {D}
dim H = {H}
dim Dh = D / H
dim Kv = H / 2
dim Each = 2

fn split_heads(x: [b n 3*D]):
    q, k, v = split(x, b n (3 H Dh) -> b H n Dh)
    return v

fn merge_heads(x: [b H n Dh]) -> [b n D] = rearrange(x, b H n Dh -> b n (H Dh))

fn scores(q: [b H n Dh], k: [b H m Dh]) -> [b H n m] = einsum(q, k: b H n Dh, b H m Dh -> b H n m)

fn mix(p: [b H n m], v: [b H m Dh]) -> [b H n Dh] = einsum(p, v: b H n m, b H m Dh -> b H n Dh)

fn last_scores(q: [b H Dh], k: [b H m Dh]) -> [b H m] = einsum(q, k: b H Dh, b H m Dh -> b H m)

fn project(x: [b n D], w: [D H Dh]) -> [b H n Dh] = einsum(x, w: b n D, D H Dh -> b H n Dh)

fn share_keys(k: [b Kv n Dh]) -> [b H n Dh] = repeat(k, b Kv n Dh -> b (Kv Each) n Dh)

fn pool(x: [b n D]) -> [b D] = reduce(x, b n D -> b D, mean)

fn patches(img: [b 3 16gh 16gw]) -> [b (gh gw) 768] = rearrange(img, b c 16gh 16gw -> b (gh gw) (16 16 c))
"""


class Case(NamedTuple):
    """One pattern: its function, its arguments, what einops or torch.einsum does, and what a person writes."""

    name: str
    arguments: tuple[Tensor, ...]
    library: Callable[..., Any]
    by_hand: Callable[..., Any]


def cases(b: int, n: int, heads: int, width: int) -> list[Case]:
    """The patterns at one size."""
    model = heads * width
    q, k = torch.randn(b, heads, n, width), torch.randn(b, heads, n, width)
    x, w = torch.randn(b, n, model), torch.randn(model, heads, width)
    side = 32 if n < 100 else 224

    def split_by_hand(x: Tensor) -> Tensor:
        _q, _k, v = x.view(*x.shape[:2], 3, heads, width).permute(2, 0, 3, 1, 4)
        return v

    def patches_by_hand(img: Tensor) -> Tensor:
        b, c, h, w = img.shape
        img = img.reshape(b, c, h // 16, 16, w // 16, 16).permute(0, 2, 4, 3, 5, 1)
        return img.reshape(b, h // 16 * (w // 16), 16 * 16 * c)

    return [
        Case(
            "split_heads",
            (torch.randn(b, n, 3 * model),),
            lambda x: einops.rearrange(x, "b n (k h d) -> k b h n d", k=3, h=heads)[2],
            split_by_hand,
        ),
        Case(
            "merge_heads",
            (q,),
            lambda x: einops.rearrange(x, "b h n d -> b n (h d)"),
            lambda x: x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1),
        ),
        Case(
            "scores",
            (q, k),
            lambda q, k: torch.einsum("bhnd,bhmd->bhnm", q, k),
            lambda q, k: q @ k.transpose(-2, -1),
        ),
        Case(
            "mix",
            (torch.randn(b, heads, n, n), k),
            lambda p, v: torch.einsum("bhnm,bhmd->bhnd", p, v),
            lambda p, v: p @ v,
        ),
        Case(
            "last_scores",
            (q[:, :, 0], k),
            lambda q, k: torch.einsum("bhd,bhmd->bhm", q, k),
            lambda q, k: (q.unsqueeze(-2) @ k.transpose(-2, -1)).squeeze(-2),
        ),
        Case(
            "project",
            (x, w),
            lambda x, w: torch.einsum("bnD,Dhd->bhnd", x, w),
            lambda x, w: (x @ w.reshape(model, model)).view(b, n, heads, width).transpose(1, 2),
        ),
        Case(
            "share_keys",
            (torch.randn(b, heads // 2, n, width),),
            lambda k: einops.repeat(k, "b h n d -> b (h e) n d", e=2),
            lambda k: k.repeat_interleave(2, dim=1),
        ),
        Case("pool", (x,), lambda x: einops.reduce(x, "b n d -> b d", "mean"), lambda x: x.mean(dim=1)),
        Case(
            "patches",
            (torch.randn(b, 3, side, side),),
            lambda img: einops.rearrange(img, "b c (h p) (w q) -> b (h w) (p q c)", p=16, q=16),
            patches_by_hand,
        ),
    ]


def main() -> None:
    """Prints a table for each size."""
    torch.manual_seed(0)
    for b, n, heads, width in ((2, 16, 4, 16), (4, 256, 12, 64)):
        text = SOURCE.format(D=heads * width, H=heads)
        problems = Checker().check("patterns.ss", text).diagnostics
        assert not problems, problems
        module = shapescript.compile(text)
        print(f"b={b} n={n} heads={heads} width={width}")
        print(f"  {'':12} {'compiled':>12} {'einops or einsum':>18} {'by hand':>10}")
        for case in cases(b, n, heads, width):
            _report(case, getattr(module, case.name))


def _report(case: Case, compiled: Callable[..., Any]) -> None:
    arguments = case.arguments
    torch.testing.assert_close(compiled(*arguments), case.library(*arguments))
    torch.testing.assert_close(compiled(*arguments), case.by_hand(*arguments))
    with torch.inference_mode():
        turns = take_turns(
            {
                "compiled": lambda: compiled(*arguments),
                "library": lambda: case.library(*arguments),
                "by hand": lambda: case.by_hand(*arguments),
            },
            seconds=1.0,
            repeat=5,
        )
    library, by_hand = (turns.ratio(name, to="compiled") for name in ("library", "by hand"))
    print(f"  {case.name:12} {turns.microseconds('compiled'):>9.1f} µs {library:>17.2f}x {by_hand:>9.2f}x")


if __name__ == "__main__":
    main()
