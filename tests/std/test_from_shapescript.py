"""The standard library called from .ss files, where the checker sees its types."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

import shapescript
from shapescript.importing.files import Files
from shapescript_check import Checker

HEAD = """\
devices cpu

import shapescript.std.layers as layers
import shapescript.std.metrics as metrics

dim V = 11
dim H = 4
dim Dh = 8
dim Half = Dh / 2
"""

PARAMETERS = """\
    q: [b H n Dh], kv: [b H m Dh], two: [b 2 m Dh], three: [b 3 m Dh], odd: [b H n 7],
    half: [n Half], z: [b n V], y: [b n] Index[V], other: [b n] Index[V+1], img: [b 3 17 16], w: [D 3 4 4],
    bias: [D],
"""


def codes(expression: str) -> list[str]:
    """What is wrong with a function that gives an expression."""
    text = f"{HEAD}\nfn f(\n{PARAMETERS}) = {expression}\n"
    return [d.code for d in Checker().check("f.ss", text, hints=True, importer=Files([])).diagnostics]


@pytest.mark.parametrize(
    "expression",
    [
        "layers.attention(q, kv, kv) as [b H n Dh]",
        "layers.grouped_attention(q, two, two, is_causal=true) + q",
        "layers.rotary(q, cos(half), sin(half)) + q",
        "layers.rotary_angles(q, iota(n), theta=500.0) + half",
        "metrics.perplexity(z, y)",
        "log(metrics.perplexity(z, y))",
        "metrics.accuracy(rearrange(z, b n V -> (b n) V), rearrange(y, b n -> (b n)))",
        "metrics.accuracy(softmax(z[0], over=V), y[0]) to Signed",
        "metrics.confusion_matrix(z[0], y[0]) @ metrics.confusion_matrix(z[1], y[1])",
    ],
)
def test_what_fits_is_accepted(expression: str) -> None:
    assert codes(expression) == []


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("layers.attention(q, two, two)", "E0401"),
        ("layers.grouped_attention(q, three, three)", "E0402"),
        ("layers.grouped_attention(q, two, three)", "E0401"),
        ("layers.rotary_angles(odd, iota(n))", "E0402"),
        ("layers.rotary(q, half, rearrange(half, n Half -> Half n))", "E0401"),
        ("layers.patch_embedding(img, w, bias)", "E0402"),
        ("layers.dense(q)", "E2304"),
        ("metrics.perplexity(softmax(z, over=V), y)", "E0501"),
        ("metrics.perplexity(z, other)", "E0507"),
        ("metrics.accuracy(z[0], other[0])", "E0507"),
    ],
)
def test_what_does_not_fit_is_refused(expression: str, code: str) -> None:
    assert set(codes(expression)) == {code}


def test_functions_that_call_it_compute_what_it_does(layers: ModuleType, metrics: ModuleType) -> None:
    text = f"""{HEAD}
fn attended(q: [b H n Dh], k: [b 2 n Dh]) -> [b H n Dh]:
    angles = layers.rotary_angles(q, iota(n))
    q = layers.rotary(q, cos(angles), sin(angles))
    return layers.grouped_attention(q, k, k)

fn doubt(z: [b n V], y: [b n] Index[V]) -> [] = metrics.perplexity(2.0 * z, y)
"""
    module = shapescript.compile(text)
    q, k = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 5, 8)
    angles = layers.rotary_angles(q, torch.arange(5))
    turned = layers.rotary(q, angles.cos(), angles.sin())
    assert torch.equal(module.attended(q, k), layers.grouped_attention(turned, k, k))
    z, y = torch.randn(2, 5, 11), torch.randint(11, (2, 5))
    assert torch.equal(module.doubt(z, y), metrics.perplexity(2.0 * z, y))
