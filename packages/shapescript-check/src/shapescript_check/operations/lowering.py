"""What an operation may ask of the code generator, and templates for the Python that it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from shapescript_check.sizes import Size
from shapescript_check.typed.tree import Typed
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType
from shapescript_syntax.spans import Span

if TYPE_CHECKING:
    import ast


class Emitter(Protocol):
    """The part of the code generator that lowerings use.

    Expressions it gives back carry the position of the typed node they came from.
    """

    def is_number(self, node: Typed) -> bool:
        """Whether the node's value is a Python number: a host scalar, or mathematics on host scalars."""

    def tensor(self, node: Typed, dtype: DType | None = None) -> ast.expr:
        """The node's value as a tensor (a host number is made one, of a dtype or its own, on the declared device)."""

    def number_or_tensor(self, node: Typed) -> ast.expr:
        """The node's value, left a Python number where it is one: for operators that take either."""

    def aligned(self, node: Typed, positions: Sequence[int], rank: int) -> ast.expr:
        """The value with its axes permuted and size-1 axes added, so that axis i stands at `positions[i]` of
        `rank` axes when torch broadcasts from the right. A number stays a number."""

    def once(self, expr: ast.expr) -> ast.expr:
        """A name for an expression that is used more than once: itself if it is a name, or a temporary."""

    def size(self, size: Size, near: tuple[Typed, ast.expr] | None = None) -> ast.expr:
        """A size as a Python int. `near` is an operand (and its Python name) whose shape may be read for a size
        that nothing else tells.

        Raises LookupError for an unknown size that no value in reach has."""

    def device(self) -> ast.expr:
        """The declared device, for a torch call that makes a tensor."""

    def dtype(self, dtype: DType) -> ast.expr:
        """`torch.float32` and the like."""

    def where(self, span: Span) -> str:
        """`file.ss:line:column`, as run-time errors name places."""

    def declared(self, name: str) -> ast.expr:
        """The Python class of a model or a record."""

    def mode_for(self, mode: Typed, callee: str) -> ast.expr:
        """A mode as it is passed on to a function, whose random draws are its own."""

    def again(self) -> ast.expr:
        """In a function that takes gradients, whether its caller's own are to go through them.

        Raises LookupError elsewhere, where nothing records what is computed."""

    def torch(self, name: str) -> ast.expr:
        """A dotted name of torch, as in `torch.softmax`, with the import it needs."""

    def runtime(self, name: str) -> ast.expr:
        """A function of the runtime package."""


# Programs are checked far more often than code is generated, and Python's `ast` is loaded only for that.


def python(template: str, **parts: ast.expr | int | float | bool | str | Sequence[int] | None) -> ast.expr:
    """An expression from a template in which names stand for parts.

    `python("torch.softmax(x, dim=d)", x=operand, d=2)` fills in `x` and `d`. Parts that aren't expressions
    become constants; a sequence of ints becomes a tuple. The new nodes have no position yet: the code generator
    gives them that of the node being lowered.
    """
    from shapescript_check.operations.templates import fill

    return fill(template, parts)


def constant(value: int | float | bool | str | Sequence[int] | None) -> ast.expr:
    """A Python constant. Negative numbers and infinities are written as a person would."""
    from shapescript_check.operations.templates import constant

    return constant(value)


def tuple_of(parts: Sequence[ast.expr]) -> ast.expr:
    """A Python tuple."""
    import ast

    return ast.Tuple(list(parts), ast.Load())


def stored_as(x: ast.expr, node: Typed, dtype: DType | None, emit: Emitter) -> ast.expr:
    """An operand in a dtype."""
    if dtype is None or not isinstance(node.type, TensorType) or node.type.dtype in (None, dtype):
        return x
    return python("x.to(t)", x=x, t=emit.dtype(dtype))
