"""What the operations that take a pattern have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.patterns.binding import Binder, operands_of
from shapescript_check.operations.families.patterns.flows import flows_of
from shapescript_check.operations.families.patterns.keywords import SIZES
from shapescript_check.operations.families.patterns.plan import Key, Part, Plan, Side, parts_of
from shapescript_check.operations.families.patterns.written import WrittenPattern, read_pattern
from shapescript_check.operations.flows import Flow, OperandFlows
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Given, Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import ErrorType, ValueType
from shapescript_syntax import tree

OPERANDS = "operands"


class PatternOperation(Operation):
    """An operation on tensors whose axes a pattern names.

    The operands are what is given by position, then what stands before a `:` in the pattern. They have a parameter of
    many values, so that no keyword is theirs: `x=4` gives the axis named x its size.
    """

    parameters = (
        Parameter(OPERANDS, Kind.VALUES, optional=True),
        Parameter("pattern", Kind.PATTERN),
        Parameter(SIZES, Kind.SIZES, optional=True, keyword_only=True),
    )

    def check_written(self, call: OperationCall, pattern: WrittenPattern) -> None:
        """Refuses what the operation allows in no pattern."""

    @abstractmethod
    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        """The result's type and the plan, once the input sides are bound."""

    def check(self, call: OperationCall) -> Typed:
        pattern = self._pattern(call)
        nodes = self._tensors(call, pattern)
        written = read_pattern(call, pattern)
        self.check_written(call, written)
        self._check_count(call, written, nodes)
        operands = operands_of(call, nodes)
        binder = Binder(call, written)
        inputs = tuple(binder.bind(side, node) for side, node in zip(written.inputs, operands, strict=True))
        kind, plan = self.typed(call, binder, operands, inputs)
        for name, (size, span) in binder.introduced().items():
            call.context.introduce_axis(name, size, span)
        return call.result(kind, (*operands, *binder.keywords.runtime.values()), detail=plan)

    # --- arguments ---

    def _pattern(self, call: OperationCall) -> tree.Pattern:
        given = call.arguments.get("pattern", ())
        if not given:
            call.refuse(
                "E0407",
                call.callee_span,
                f"`{self.name}` needs a pattern",
                help=f"write one after the tensor, as in {self.usage}",
            )
        if len(given) > 1:
            call.refuse("E0407", given[1].span, f"`{self.name}` takes one pattern, and this is a second one")
        syntax = given[0].syntax
        assert isinstance(syntax, tree.Pattern)
        return syntax

    @property
    def usage(self) -> str:
        """A short call, for a help."""
        return f"{self.name}(x, b n -> n b)"

    def positional(self, call: OperationCall, pattern: tree.Pattern) -> list[Given]:
        """The arguments that are tensors, apart from those in the pattern."""
        return list(call.arguments.get(OPERANDS, ()))

    def _tensors(self, call: OperationCall, pattern: tree.Pattern) -> list[Typed]:
        given = self.positional(call, pattern)
        piped = next((g for g in given if g.syntax is None), None)
        if piped is not None and any(isinstance(o, tree.Hole) for o in pattern.operands):
            given.remove(piped)
        nodes = []
        for argument in given:
            if argument.typed is None:
                assert argument.syntax is not None and not isinstance(argument.syntax, tree.Pattern)
                argument.typed = call.context.expression(argument.syntax)
            nodes.append(argument.typed)
        for operand in pattern.operands:
            if isinstance(operand, tree.Hole) and piped is not None and piped.typed is not None:
                nodes.append(piped.typed)
            else:
                nodes.append(call.context.expression(operand))
        return nodes

    def _check_count(self, call: OperationCall, written: WrittenPattern, nodes: Sequence[Typed]) -> None:
        sides = len(written.inputs)
        if len(nodes) == sides:
            return
        if any(isinstance(n.type, ErrorType) for n in nodes):
            raise Refused
        operands = "no tensor" if not nodes else "1 tensor" if len(nodes) == 1 else f"{len(nodes)} tensors"
        described = "one" if sides == 1 else str(sides)
        call.refuse(
            "E0406",
            nodes[sides].span if len(nodes) > sides else written.span,
            f"`{self.name}` has {operands}, and the pattern describes {described}",
            help=None
            if len(nodes) > sides and sides == 1
            else f"write one side for each, as in {self.usage}",
        )

    # --- flows ---

    def gone(self, plan: Plan, operand: int, part: Part) -> tuple[Flow, ...]:
        """What becomes of a part that the output has not."""
        raise AssertionError(f"{self.name} keeps every part")

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        plan: Plan = node.detail
        tensors = tuple(
            flows_of(side, plan.output, lambda part, i=i: self.gone(plan, i, part))  # type: ignore[misc]
            for i, side in enumerate(plan.inputs)
        )
        return (*tensors, *(() for _ in node.operands[len(tensors) :]))


def runtime_operands(binder: Binder, tensors: int) -> dict[Key, int]:
    """Which operand is the size of each name whose size only run time knows."""
    return {name: tensors + i for i, name in enumerate(binder.keywords.runtime)}


def refuse_missing(
    call: OperationCall, binder: Binder, inputs: Sequence[Side], kept: Iterable[Key], help: str | None = None
) -> None:
    """Reports E0407 for a name or a number of an input that is not in the output; 1 may be dropped."""
    kept = frozenset(kept)
    for side, written_side in zip(inputs, binder.pattern.inputs, strict=True):
        for part, written in zip(parts_of(side), written_side.parts(), strict=True):
            if part.key not in kept and not part.is_one:
                call.refuse(
                    "E0407",
                    written.span,
                    f"`{written}` isn't right of `->`, and `{call.operation.name}` keeps every axis",
                    help=help,
                )
