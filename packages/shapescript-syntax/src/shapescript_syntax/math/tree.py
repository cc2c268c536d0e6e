"""The tree of a formula. Spans are counted from the same place as that of the formula's `Math`."""

from __future__ import annotations

from typing import TypeAlias

from shapescript_syntax.records import node
from shapescript_syntax.spans import Span


@node
class Symbol:
    """One character; `kind` says how it is spaced (see `symbols`)."""

    span: Span
    text: str
    kind: str


@node
class Space:
    """`width` is in eighteenths of an em, and may be negative."""

    span: Span
    width: int


@node
class Operator:
    r"""`\sum`, `\log` or `\operatorname{name}`.

    `large` ones are symbols that grow in displayed math, the others names that are drawn upright. With `limits`,
    displayed scripts stand above and below.
    """

    span: Span
    text: str
    large: bool
    limits: bool


@node
class Row:
    """Things side by side: a formula, or what braces hold."""

    span: Span
    items: tuple[Node, ...]


@node
class Scripts:
    """Primes, a superscript and a subscript. `base` is None where there is nothing before them."""

    span: Span
    base: Node | None
    primes: int
    superscript: Node | None
    subscript: Node | None


@node
class Fraction:
    r"""`displayed` is `\dfrac`, as large as in displayed math."""

    span: Span
    numerator: Node
    denominator: Node
    displayed: bool


@node
class Root:
    span: Span
    index: Row | None
    radicand: Node


@node
class Accent:
    """`name` is a key of `symbols.ACCENTS`."""

    span: Span
    name: str
    body: Node


@node
class Styled:
    """Letters in another alphabet; `style` is one of `symbols.STYLES`."""

    span: Span
    style: str
    body: Node


@node
class Text:
    r"""`\text{…}`: words, and formulas in dollars between them."""

    span: Span
    parts: tuple[str | Row, ...]


@node
class Fenced:
    r"""`\left( … \right)`; a delimiter is empty for `.`."""

    span: Span
    left: str
    right: str
    body: Row


@node
class Grid:
    """An environment: rows of cells. `name` is a key of `symbols.ENVIRONMENTS`."""

    span: Span
    name: str
    rows: tuple[tuple[Row, ...], ...]


Node: TypeAlias = (
    "Symbol | Space | Operator | Row | Scripts | Fraction | Root | Accent | Styled | Text | Fenced | Grid"
)
