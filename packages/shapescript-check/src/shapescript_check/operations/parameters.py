"""What a built-in operation takes, and how the arguments of a call are matched to it."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from shapescript_syntax import tree
from shapescript_syntax.records import members, value
from shapescript_syntax.spans import Span

if TYPE_CHECKING:
    from shapescript_check.typed.tree import Typed


@members
class Kind(Enum):
    """What may be written for a parameter."""

    VALUE = auto()
    """An expression: a tensor, or a number where the operation allows one."""
    VALUES = auto()
    """Any number of expressions, by position."""
    AXIS = auto()
    """The name of an axis of the first tensor, as in `over=D`."""
    WORD = auto()
    """A bare word, such as the reduction of `reduce`."""
    SHAPE = auto()
    """A shape written as in a type, as in `zeros([b D])`."""
    PATTERN = auto()
    """A pattern, `a b -> b a`."""
    SIZES = auto()
    """Keyword arguments that give sizes to names of a pattern."""
    FUNCTION = auto()
    """The name of a function of the program."""
    ARGUMENTS = auto()
    """Any arguments, by position and by name, which are a function's."""
    TYPES = auto()
    """Any number of types, written as in a signature."""


ANY_NUMBER = (Kind.VALUES, Kind.ARGUMENTS, Kind.TYPES)
"""Kinds that take as many arguments as there are."""


@value
class Parameter:
    """One parameter. `optional` ones may be left out; `keyword_only` ones are never filled by position."""

    name: str
    kind: Kind = Kind.VALUE
    optional: bool = False
    keyword_only: bool = False
    mode: bool = False
    """Whether it is a Mode, whose absence is a mistake of its own."""


class Given:
    """An argument: what was written, and for a value its typed form once it is known."""

    __slots__ = ("mut", "name", "span", "syntax", "typed")

    def __init__(
        self,
        span: Span,
        name: tree.Name | None,
        syntax: tree.Expr | tree.Pattern | tree.ShapeExpr | None,
        typed: Typed | None = None,
        mut: Span | None = None,
    ) -> None:
        self.span = span
        self.name = name
        self.syntax = syntax
        self.typed = typed
        self.mut = mut


X = Parameter("x")
OVER = Parameter("over", Kind.AXIS, keyword_only=True)
OVER_OPTIONAL = Parameter("over", Kind.AXIS, optional=True, keyword_only=True)
