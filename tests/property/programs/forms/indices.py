"""Taking and putting values at positions that tensors hold."""

from __future__ import annotations

from shapescript_check.types.domains import IndexOf
from tests.property.programs.chooser import Chooser, Chosen
from tests.property.programs.elements import random_element, shape_words
from tests.property.programs.forms import form

Target = tuple[Chosen, str, int, list[str], str]
"""What values are taken from or put into: the tensor, the axis's name and position, the words of its shape, and the
axis's size."""


def _target(c: Chooser, *, numbers: bool = False) -> Target | None:
    x = c.tensor(least=1, named=True, numbers=numbers)
    over = c.over(x[1].axes or ()) if x is not None else None
    words = shape_words(c.draft, x[1].axes or ()) if x is not None else None
    if x is None or over is None or words is None:
        return None
    size = str((x[1].axes or ())[over[1]].size).replace(" ", "")
    return x, over[0], over[1], words, size


def _index(c: Chooser, target: Target, words: list[str]) -> Chosen | None:
    _, _, at, _, size = target
    words = list(words)
    words[at] = c.one("1", "k", "2", words[at])
    return c.parameter(words, f"Index[{size}] {c.one('', '', 'i32')}".strip())


@form("gather")
def _gathered(c: Chooser) -> str | None:
    target = _target(c)
    if target is None:
        return None
    x, name, at, words, _ = target
    axes = x[1].axes or ()
    index = None
    if c.chance(0.3):
        index = c.existing(
            lambda k: (
                isinstance(k.domain, IndexOf)
                and k.domain.size.same(axes[at].size)
                and k.rank == len(axes)
                and all(
                    a.size.same(b.size)
                    for i, (a, b) in enumerate(zip(k.axes or (), axes, strict=True))
                    if i != at
                )
            )
        )
    index = index or _index(c, target, words)
    return None if index is None else f"gather({x[0]}, {index[0]}, over={name})"


@form("scatter", "scatter_add")
def _scattered(c: Chooser, op: str) -> str | None:
    target = _target(c, numbers=op == "scatter_add")
    index = _index(c, target, target[3]) if target is not None else None
    if target is None or index is None:
        return None
    x = target[0]
    values = c.like(index[1].axes or (), _stored_as(c, x))
    return None if values is None else f"{op}({x[0]}, {index[0]}, {values[0]}, over={target[1]})"


def _stored_as(c: Chooser, x: Chosen) -> str:
    """An element of x's dtype."""
    kind = x[1]
    if kind.is_mask:
        return "Mask"
    assert kind.dtype is not None
    if not kind.dtype.is_float:
        return kind.dtype.name
    domain = random_element(c.draft, c.rng, [], numbers=True).split(" ")[0]
    plain = ("NonNeg", "Pos", "Unit", "Signed", "Real", "Binary", *(d.name for d in c.draft.domains))
    return f"{domain if domain in plain else ''} {kind.dtype.name}".strip()


@form("index_add")
def _added(c: Chooser) -> str | None:
    target = _target(c, numbers=True)
    if target is None:
        return None
    x, name, at, words, size = target
    ids_words = [c.one("k", "2", "b") for _ in range(c.rng.choice((0, 1, 1, 1, 2)))]
    ids = c.parameter(ids_words, f"Index[{size}] {c.one('', 'i32')}".strip())
    values = c.parameter([*words[:at], *ids_words, *words[at + 1 :]], _stored_as(c, x))
    if ids is None or values is None:
        return None
    return f"index_add({x[0]}, {ids[0]}, {values[0]}, over={name})"
