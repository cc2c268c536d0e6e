"""`reduce(x, b n D -> b D, mean)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall, Refused
from shapescript_check.operations.families.patterns.binding import Binder
from shapescript_check.operations.families.patterns.operation import (
    OPERANDS,
    PatternOperation,
    runtime_operands,
)
from shapescript_check.operations.families.patterns.output import OutputReader
from shapescript_check.operations.families.patterns.plan import Part, Plan, Side
from shapescript_check.operations.families.patterns.reducing import reduced_type
from shapescript_check.operations.families.reductions import Reduction
from shapescript_check.operations.flows import Flow, Reduced
from shapescript_check.operations.lowering import Emitter
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import ErrorType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.suggestions import closest

if TYPE_CHECKING:
    import ast

REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all")


class Reduce(PatternOperation):
    """Reduces the axes that the right side leaves out."""

    name = "reduce"
    signature = "fn reduce(x: [...], pattern: Pattern, by: Reduction) -> Any"
    doc = (
        "The values of `x` with every axis that the right side leaves out combined by `sum`, `mean`, `max`, `min`, "
        "`prod`, `any` or `all`. Part of a group may be left out, which pools."
    )
    example = """\
dim Height = 8
dim Width = 6

## Halves both sides of each image, keeping the brightest of every four pixels.
fn halved(img: [b Height Width] Unit) -> [b 4 3] Unit = reduce(img, b (i 2) (j 2) -> b i j, max)
"""

    def positional(self, call: OperationCall, pattern: tree.Pattern) -> list[Given]:
        given = super().positional(call, pattern)
        if len(given) + len(pattern.operands) == 1 and (pattern.operands or not self._is_word(given[0])):
            call.refuse(
                "E0406",
                call.callee_span,
                "`reduce` needs the reduction to use",
                help=f"name it after the pattern, as in {self.usage}",
            )
        return given[:-1]

    @staticmethod
    def _is_word(given: Given) -> bool:
        return isinstance(given.syntax, tree.Ident) and given.syntax.name in REDUCTIONS

    @property
    def usage(self) -> str:
        return f"{self.name}(x, b n -> b, sum)"

    def typed(
        self, call: OperationCall, binder: Binder, operands: Sequence[Typed], inputs: tuple[Side, ...]
    ) -> tuple[ValueType, Plan]:
        reduction = self._reduction(call)
        operand = call.as_operand(operands[0])
        kind = TensorType(operand.axes, operand.dtype, operand.domain)
        self._check_operand(call, reduction, operands[0], kind)
        output = OutputReader(binder, inputs).read()
        plan = Plan(inputs, output, runtime_operands(binder, len(operands)), reduction)
        return reduced_type(kind, plan), plan

    def _reduction(self, call: OperationCall) -> Reduction:
        from shapescript_check import operations

        given = call.arguments[OPERANDS][-1]
        known = ", ".join(REDUCTIONS[:-1]) + f" or {REDUCTIONS[-1]}"
        if not isinstance(given.syntax, tree.Ident):
            if given.syntax is not None and not isinstance(given.syntax, tree.Pattern):
                if isinstance(call.context.expression(given.syntax).type, ErrorType):
                    raise Refused
            call.refuse("E0406", given.span, f"a reduction is one of the words {known}")
        word = given.syntax.name
        if word not in REDUCTIONS:
            near = closest(word, REDUCTIONS)
            call.refuse(
                "E0406",
                given.span,
                f"`{word}` is no reduction that `reduce` knows",
                notes=(f"they are {known}",),
                help=f"did you mean `{near}`?" if near else None,
            )
        found = operations.lookup(word)
        assert isinstance(found, Reduction)
        return found

    def _check_operand(
        self, call: OperationCall, reduction: Reduction, node: Typed, kind: TensorType
    ) -> None:
        # What the reduction refuses is said in its own words.
        word = call.arguments[OPERANDS][-1].span
        named = OperationCall(reduction, call.span, word, call.arguments, call.context)
        reduction.check_operand(named, node, kind)

    def gone(self, plan: Plan, operand: int, part: Part) -> tuple[Flow, ...]:
        assert plan.reduction is not None
        return (Reduced(plan.reduction.name),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        from shapescript_check.operations.families.patterns.lowering_reductions import lower_reduction

        return lower_reduction(node, emit)


OPERATION = Reduce()
