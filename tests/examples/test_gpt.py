"""examples/gpt.ss: what it computes is GPT-NeoX, and it learns the help texts that come with Python."""

from __future__ import annotations

import math
from pydoc_data.topics import topics

import pytest
import torch
from torch import Tensor
from torch.utils.data import TensorDataset
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

import shapescript
from tests.examples.conftest import compiled

pytestmark = pytest.mark.usefixtures("one_thread")
gpt = compiled("gpt")


def encoded(text: str) -> Tensor:
    """The end of a line is 0, and a space and what follows it in ASCII are from 1 up. Other characters are left out."""
    return torch.tensor([max(ord(c) - 31, 0) for c in text if c == "\n" or " " <= c <= "~"])


def some_text(*shape: int, seed: int = 0) -> Tensor:
    return torch.randint(gpt.V, shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return gpt.Gpt.init(seed=0)


# --- what it computes --------------------------------------------------------------------------------------


def neox(model: torch.nn.Module) -> GPTNeoXForCausalLM:
    """The same weights in the transformers library's GPT-NeoX, whose biases are 0."""
    config = GPTNeoXConfig(
        vocab_size=gpt.V,
        hidden_size=gpt.D,
        num_hidden_layers=gpt.L,
        num_attention_heads=gpt.H,
        intermediate_size=4 * gpt.D,
        hidden_act="gelu",
        use_parallel_residual=False,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0},
        tie_word_embeddings=False,
    )
    theirs = GPTNeoXForCausalLM(config).requires_grad_(False)
    for name, parameter in theirs.named_parameters():
        if name.endswith("bias"):
            parameter.zero_()
    theirs.gpt_neox.embed_in.weight.copy_(model.embedding)
    theirs.lm_head.weight.copy_(model.embedding)
    theirs.gpt_neox.final_layer_norm.weight.copy_(model.last_norm)
    for i, layer in enumerate(theirs.gpt_neox.layers):
        layer.input_layernorm.weight.copy_(model.attention_norm[i])
        layer.post_attention_layernorm.weight.copy_(model.mlp_norm[i])
        # Ours has the queries of all heads, then the keys; theirs each head's query, key and value.
        by_kind = model.w_qkv[i].T.view(3, gpt.H, gpt.Dh, gpt.D)
        layer.attention.query_key_value.weight.copy_(by_kind.transpose(0, 1).flatten(0, 2))
        layer.attention.dense.weight.copy_(model.w_o[i].T)
        layer.mlp.dense_h_to_4h.weight.copy_(model.w_in[i].T)
        layer.mlp.dense_4h_to_h.weight.copy_(model.w_out[i].T)
    return theirs


@pytest.mark.parametrize("count", [1, 7, 64, 100])
def test_its_scores_are_those_of_gpt_neox(model: torch.nn.Module, count: int) -> None:
    text = some_text(2, count)
    with torch.no_grad():
        ours, theirs = gpt.forward(model, text), neox(model)(text).logits
    assert theirs.std() > 0.1
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_no_character_sees_a_later_one(model: torch.nn.Module) -> None:
    text = some_text(1, 20)
    changed = text.clone()
    changed[0, 12] = (text[0, 12] + 1) % gpt.V
    before, after = gpt.forward(model, text), gpt.forward(model, changed)
    torch.testing.assert_close(before[:, :12], after[:, :12], rtol=0, atol=1e-6)
    assert not torch.allclose(before[:, 12:], after[:, 12:])


# --- what it learns ----------------------------------------------------------------------------------------


class Losses:
    """A sink that keeps the loss of every step."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def write(self, record: dict[str, float]) -> None:
        self.values.append(record["loss"])


@pytest.mark.slow
def test_it_learns_more_than_which_character_follows_which() -> None:
    text = encoded("\n".join(topics[name] for name in sorted(topics)))
    read, kept = text[: len(text) * 9 // 10], text[len(text) * 9 // 10 :]
    pieces, others = (part.unfold(0, gpt.T + 1, gpt.T + 1) for part in (read, kept))
    order = torch.randperm(len(pieces), generator=torch.Generator().manual_seed(0))
    model, losses = gpt.Gpt.init(seed=0), Losses()
    lr = shapescript.rt.warmup(20, shapescript.rt.cosine(1e-2, 300))
    gpt.train(model, TensorDataset(pieces[order[: 300 * 16]]), losses, 1, lr)
    assert len(losses.values) == 300
    # Before it has learned anything, all characters are equally likely.
    assert losses.values[0] == pytest.approx(math.log(gpt.V), abs=0.3)
    # The best that knows nothing but the character before, of everything there is to read.
    counts = torch.full((gpt.V, gpt.V), 0.1)
    counts.index_put_((read[:-1], read[1:]), torch.ones(len(read) - 1), accumulate=True)
    pairs = -(counts / counts.sum(1, keepdim=True)).log()[others[:, :-1], others[:, 1:]].mean()
    with torch.no_grad():
        loss = gpt.loss(model, gpt.Piece(text=others))
    assert loss < pairs - 0.2


# --- what it writes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_characters_are_drawn_by_their_probabilities(model: torch.nn.Module, temperature: float) -> None:
    text = some_text(1, 3)
    with torch.no_grad():
        wanted = torch.softmax(gpt.forward(model, text)[0, -1] / temperature, dim=0)
        drawn = gpt.drawn(model, text.expand(20_000, 3), temperature, shapescript.Sample(seed=0))
    found = torch.bincount(drawn, minlength=gpt.V) / len(drawn)
    # Five standard deviations of each count.
    assert ((found - wanted).abs() < 5 * (wanted / len(drawn)).sqrt() + 1e-4).all()


def test_it_continues_a_text_character_by_character(model: torch.nn.Module) -> None:
    start = some_text(2, gpt.T)
    text = start
    with torch.no_grad():
        for _ in range(gpt.T):
            best = gpt.forward(model, text)[:, -1].argmax(dim=1, keepdim=True)
            text = torch.cat((text[:, 1:], best), dim=1)
        # So cold that only the best is ever drawn.
        assert torch.equal(gpt.continued(model, start, 1e-4, shapescript.Sample(seed=0)), text)
        warm = [gpt.continued(model, start, 1.0, shapescript.Sample(seed=seed)) for seed in (1, 1, 2)]
    assert torch.equal(warm[0], warm[1])
    assert not torch.equal(warm[0], warm[2])
