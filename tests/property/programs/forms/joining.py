"""Joins and new tensors."""

from __future__ import annotations

from shapescript_check.sizes import SymbolKind
from tests.property.programs.chooser import Chooser, Chosen
from tests.property.programs.elements import axis_word, random_element, shape_words
from tests.property.programs.forms import form


def _same_element(c: Chooser, x: Chosen) -> str:
    """An element that can be joined with x's: a mask beside a mask."""
    return c.one("Mask", "bool") if x[1].is_mask else random_element(c.draft, c.rng, [], numbers=True)


@form("cat")
def _joined(c: Chooser) -> str | None:
    x = c.tensor(least=1, named=True)
    over = c.over(x[1].axes or ()) if x is not None else None
    if x is None or over is None:
        return None
    parts = [x[0]]
    for _ in range(c.rng.randint(1, 2)):
        words = shape_words(c.draft, x[1].axes or ())
        if words is None or c.chance(0.3):
            parts.append(x[0])
            continue
        if c.chance(0.4):
            words[over[1]] = c.one("1", "2", "n", words[over[1]])
        other = c.parameter(words, _same_element(c, x))
        parts.append(other[0] if other is not None else x[0])
    return f"cat({', '.join(parts)}, over={over[0]})"


@form("stack")
def _stacked(c: Chooser) -> str | None:
    x = c.tensor()
    if x is None:
        return None
    parts = [x[0]]
    for _ in range(c.rng.randint(0, 3)):
        other = c.like(x[1].axes or (), _same_element(c, x)) if c.chance(0.6) else None
        parts.append(other[0] if other is not None else x[0])
    fitting = [n for n, size in c.draft.dims.items() if size == len(parts)]
    name = c.rng.choice(fitting) if fitting and c.chance(0.5) else c.draft.fresh("s")
    return f"stack({', '.join(parts)}, over={name})"


def new_shape(c: Chooser) -> str:
    """A shape to make a tensor of: of sizes in scope."""
    words = [c.axis_size() for _ in range(c.rng.randint(0, 3))]
    if c.chance(0.2):
        words = [f"2*{w}" if w.isidentifier() and c.chance(0.4) else w for w in words]
    existing = c.existing(lambda k: bool(k.axes))
    if existing is not None and c.chance(0.4):
        axes = existing[1].axes or ()
        shown = [axis_word(c.draft, a) or _scope_word(c, a.name) for a in axes]
        words = [w for w in shown if w is not None]
    return f"[{' '.join(words)}]"


def _scope_word(c: Chooser, name: str | None) -> str | None:
    size = c.draft.axes.get(name) if name is not None else None
    known = size is not None and not any(s.kind is SymbolKind.UNKNOWN for s in size.symbols())
    return name if known else None


@form("zeros", "ones")
def _constant(c: Chooser, name: str) -> str | None:
    return f"{name}({new_shape(c)})"


@form("full")
def _full(c: Chooser) -> str | None:
    value = c.host("int", "float") if c.chance(0.5) else c.one("0", "1", "-2.5", "true", "inf", "0.1", "1e30")
    return f"full({new_shape(c)}, {value})"


@form("iota", "eye")
def _counted(c: Chooser, name: str) -> str | None:
    return f"{name}({c.axis_size()})"


@form("one_hot")
def _one_hot(c: Chooser) -> str | None:
    from shapescript_check.types.domains import IndexOf

    x = c.existing(lambda k: isinstance(k.domain, IndexOf)) if c.chance(0.6) else None
    if x is None:
        size = c.rng.choice([*(s.name for s in c.draft.interface.generics), *c.draft.dims])
        x = c.parameter(
            [c.one("b", "n")] if c.chance(0.7) else [], f"Index[{size}] {c.one('', 'i32', 'u8')}".strip()
        )
    return None if x is None else f"one_hot({x[0]})"
