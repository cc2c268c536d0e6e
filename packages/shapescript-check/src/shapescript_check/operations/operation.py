"""What a built-in operation is: one object that answers everything anybody asks about it.

Each operation is the module of its name in this package, with its object in `OPERATION`; near relatives share a
class of `families`. `lookup` imports an operation the first time a program uses it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from shapescript_check.operations.flows import OperandFlows
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.types.domains import Domain
from shapescript_check.types.dtypes import DType, Tier

if TYPE_CHECKING:
    import ast

    from shapescript_check.operations.call import OperationCall
    from shapescript_check.operations.lowering import Emitter
    from shapescript_check.typed.tree import Apply, Typed

Stored = tuple["DType | None", Tier]
"""An operand's dtype, None where it is the caller's, and how much it counts in promotion."""


class Derivatives(NamedTuple):
    """How many derivatives something has, and what it is in a sentence."""

    number: int
    what: str


class Operation(ABC):
    """A built-in operation.

    `signature` is how it is declared in `builtins.ss`, `doc` a sentence or two for hover and the reference, and
    `example` a whole program that uses it, which the tests check and run.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    name: str
    signature: str
    doc: str
    example: str
    changes: ClassVar[frozenset[str]] = frozenset()
    """The parameters that a call changes, whose arguments are marked `mut`."""
    elementwise: bool = False
    """Whether each element of the result depends on the same element of each operand, lined up, only."""
    of_two: str | None = None
    """The operation of two values that PyTorch gives the same name."""
    once: bool = False
    """Whether it acts on what is outside of the program, such as a file, which one process does once, however many
    devices there are."""

    @abstractmethod
    def check(self, call: OperationCall) -> Typed:
        """The typed application: operands to result type, or diagnostics and an unresolved node."""

    @abstractmethod
    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        """For each operand, what becomes of each of its axes."""

    @abstractmethod
    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        """The Python expression that computes it."""

    def lower_complement(self, node: Apply, emit: Emitter) -> ast.expr | None:
        """The Python of `!` of a mask that it makes, where that is less work than turning the mask over."""
        return None

    def derivatives(self, node: Apply) -> Derivatives | None:
        """How many derivatives it has where it is applied like this; None for any number."""
        return None

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        """The result's domain from the operands', for elementwise operations."""
        raise NotImplementedError(f"{self.name} has no range rule of its own")

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        """The result's dtype from how the operands are stored, for elementwise operations; None where unknown."""
        raise NotImplementedError(f"{self.name} has no dtype rule of its own")

    def on_numbers(self, node: Apply) -> bool:
        """Whether its Python gives a Python number, not a tensor, where every operand is one."""
        return False

    @property
    def parameter_list(self) -> tuple[Parameter, ...]:
        """The parameters of this operation."""
        return self.parameters

    @property
    def takes_pattern(self) -> bool:
        return any(p.kind is Kind.PATTERN for p in self.parameter_list)

    @property
    def introduces_axes(self) -> bool:
        """Whether a call may bring new axis names into scope."""
        return self.takes_pattern or self.name == "stack"
