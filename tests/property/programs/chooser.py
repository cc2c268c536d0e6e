"""Choosing operands: what forms ask for when they write a statement."""

from __future__ import annotations

import random
from collections.abc import Callable

from shapescript_check.sizes import SymbolKind
from shapescript_check.types.axes import Axes, Axis
from shapescript_check.types.domains import IndexOf
from shapescript_check.types.values import HostType, TensorType
from tests.property.programs.draft import Draft, tensors
from tests.property.programs.elements import (
    names_in,
    names_of,
    random_element,
    random_shape,
    shape_words,
    type_text,
)

Chosen = tuple[str, TensorType]
"""An expression, and its type."""

MOST_PARAMETERS = 9


class Chooser:
    """Chooses for one draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.rng: random.Random = draft.rng

    # --- small decisions ---

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def one(self, *options: str) -> str:
        return self.rng.choice(options)

    def number(self) -> str:
        """A number as it is written."""
        return self.one(
            "0", "1", "2", "3", "-1", "0.0", "1.0", "0.5", "-0.5", "2.0", "-1.5", "0.1", "1e-3", "100.0"
        )

    def float(self) -> str:
        return self.one("0.0", "1.0", "0.5", "-0.5", "2.0", "-1.0", "0.1", "0.25", "3.0", "1e-2")

    def host(self, *kinds: str) -> str | None:
        """A host scalar of some kinds: a value, a size, or a literal."""
        found = [n for n, k in self.draft.values.items() if isinstance(k, HostType) and k.kind in kinds]
        if "int" in kinds:
            found += [*self.draft.axes, *self.draft.dims, str(self.rng.randint(0, 3))]
        if "float" in kinds:
            found.append(self.float())
        return self.rng.choice(found) if found else None

    # --- tensors ---

    def existing(self, fits: Callable[[TensorType], bool]) -> Chosen | None:
        """A tensor in scope that fits; the later ones are likelier."""
        found = [(n, k) for n, k in tensors(self.draft) if fits(k)]
        if not found:
            return None
        return found[max(self.rng.randrange(len(found)), self.rng.randrange(len(found)))]

    def parameter(self, words: list[str] | None, element: str = "") -> Chosen | None:
        """A new parameter of a type."""
        if len(self.draft.parameters) >= MOST_PARAMETERS:
            return None
        name = self.draft.add_parameter(type_text(words, element))
        kind = self.draft.values[name] if name is not None else None
        return (name, kind) if name is not None and isinstance(kind, TensorType) else None

    def tensor(
        self, *, least: int = 0, numbers: bool = False, named: bool = False, floats: bool = False
    ) -> Chosen | None:
        """A tensor: one in scope, sometimes with something done to it, or a new parameter.

        Args:
            least: the fewest axes it may have.
            numbers: whether it has to hold numbers.
            named: whether some axis needs a name.
            floats: whether it has to be stored as floats.
        """

        def fits(kind: TensorType) -> bool:
            axes = kind.axes
            if axes is None or len(axes) < least or (numbers and kind.is_mask):
                return False
            if floats and (kind.dtype is None or not kind.dtype.is_float):
                return False
            return not named or bool(names_of(axes))

        if self.chance(0.75):
            found = self.existing(fits)
            if found is not None:
                return self.nested(found) if self.chance(0.12) else found
        words = random_shape(self.draft, self.rng, max(least, self.rng.choice((0, 1, 1, 2))), max(least, 3))
        if named and not names_in(words):
            words = [*words[:-1], self.one("b", "n", "m")] if words else ["n"]
        element = random_element(self.draft, self.rng, names_in(words), numbers=numbers or floats)
        if floats:
            element = self.one("", "", "NonNeg", "Unit", "f64", "bf16", "Signed f16")
        return self.parameter(words, element) or self.existing(fits)

    def value(self) -> Chosen | None:
        """A value of an elementwise function, or any tensor elsewhere."""
        if self.draft.elementwise:
            return self.existing(lambda k: not k.is_mask)
        return self.tensor(numbers=True)

    def nested(self, chosen: Chosen) -> Chosen:
        """Something done to a value, in brackets, or the value itself where that can't be done."""
        text = self.one(
            "({0} * 0.5)", "abs({0})", "(-{0})", "({0} + 1)", "relu({0})", "({0} - {0})", "sigmoid({0})"
        )
        text = text.format(chosen[0])
        kind = self.draft.type_of(text)
        return (text, kind) if isinstance(kind, TensorType) else chosen

    def mask(self, axes: Axes) -> str | None:
        """A mask whose axes are some of the given ones."""
        if self.draft.elementwise or self.chance(0.5):
            compared = self.existing(lambda k: not k.is_mask and (k.axes is None or _within(k.axes, axes)))
            if compared is not None:
                return f"({compared[0]} {self.one('>', '<', '>=', '<=', '==', '!=')} {self.number()})"
        found = self.existing(lambda k: k.is_mask and k.axes is not None and _within(k.axes, axes))
        if found is not None and self.chance(0.7):
            return found[0]
        made = self.like(axes, self.one("Mask", "bool"), subset=self.chance(0.4))
        return made[0] if made is not None else None

    def like(
        self, axes: Axes, element: str = "", *, subset: bool = False, shuffled: bool = False
    ) -> Chosen | None:
        """A new parameter with given axes, or some of them."""
        words = shape_words(self.draft, axes)
        if words is None:
            return None
        if subset and words:
            words = [w for w in words if self.chance(0.6)]
        if shuffled:
            self.rng.shuffle(words)
        return self.parameter(words, element)

    def beside(self, kind: TensorType) -> str | None:
        """A second operand for an elementwise operation."""
        if self.chance(0.22):
            return self.host("int", "float") if self.chance(0.4) else self.number()
        if self.draft.elementwise or kind.axes is None:
            found = self.existing(lambda k: not k.is_mask)
            return found[0] if found is not None else self.number()
        axes = kind.axes
        if self.chance(0.55):
            found = self.existing(lambda k: not k.is_mask and k.axes is not None and lines_up(k.axes, axes))
            if found is not None:
                return found[0]
        words = shape_words(self.draft, axes)
        made = self.parameter(self._broadcast(words), self._element(words)) if words is not None else None
        return made[0] if made is not None else self.number()

    def _element(self, words: list[str]) -> str:
        return random_element(self.draft, self.rng, [], numbers=True)

    def _broadcast(self, words: list[str]) -> list[str]:
        """The axes of something that lines up with a value of some axes."""
        drawn = self.rng.random()
        all_named = len(names_in(words)) == len(words)
        if drawn < 0.25 or not words:
            return words
        if drawn < 0.45 and all_named:
            some = [w for w in words if self.chance(0.7)]
            self.rng.shuffle(some)
            return some
        if drawn < 0.6 and all_named:
            return [self.one("b", "t", "c"), *self.rng.sample(words, len(words))]
        if drawn < 0.8:
            return words[self.rng.randint(0, len(words)) :]
        return ["1" if self.chance(0.5) else w for w in words]

    # --- axes ---

    def over(self, axes: Axes) -> tuple[str, int] | None:
        """The name of an axis, and its position: the last one of the name, which is what the name means."""
        names = names_of(axes)
        if not names:
            return None
        name = self.rng.choice(names)
        return name, max(i for i, a in enumerate(axes) if a.name == name)

    def axis_size(self) -> str:
        """A size that is in scope, as text."""
        return self.rng.choice([*self.draft.axes, *self.draft.dims, str(self.rng.randint(1, 4))])

    def index_into(self, axis: Axis) -> Chosen | None:
        """Indices into an axis: a value in scope, or a new parameter."""
        if self.chance(0.4):
            found = self.existing(lambda k: isinstance(k.domain, IndexOf) and k.domain.size.same(axis.size))
            if found is not None and found[1].rank <= 2:
                return found
        if any(s.kind is SymbolKind.UNKNOWN for s in axis.size.symbols()):
            return None
        size = str(axis.size).replace(" ", "")
        words = random_shape(self.draft, self.rng, self.rng.choice((0, 1, 1)), 2)
        return self.parameter(words, f"Index[{size}] {self.one('', '', 'i32')}".strip())


def lines_up(axes: Axes, others: Axes) -> bool:
    """Whether two shapes probably broadcast together."""
    if not axes or not others or axes == others:
        return True
    mine, theirs = [a.name for a in axes], [a.name for a in others]
    for some, more in ((mine, theirs), (theirs, mine)):
        if None not in some and all(some.count(n) <= more.count(n) for n in some):
            return True
    pairs = zip(reversed(axes), reversed(others), strict=False)
    return all(_pairs(a, b) for a, b in pairs)


def _pairs(a: Axis, b: Axis) -> bool:
    if a.name is not None and b.name is not None and a.name != b.name:
        return False
    return a.size.same(b.size) or 1 in (a.size.as_int(), b.size.as_int())


def _within(axes: Axes, others: Axes) -> bool:
    """Whether every axis of one shape is one of another's."""
    if len(axes) > len(others):
        return False
    if all(a.name is not None and a.name in {o.name for o in others} for a in axes):
        return True
    return all(_pairs(a, b) and a.size.same(b.size) for a, b in zip(axes[::-1], others[::-1], strict=False))
