"""`+ - * /`, unary `-`, and what is written for them in pipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise, mask_or_bool
from shapescript_check.operations.families.host import host_arithmetic, host_negation
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.typed.tree import Host, Typed
from shapescript_check.types.domains import Domain, Range, Semantic
from shapescript_check.types.values import HostType
from shapescript_syntax.diagnostics import Label


class Arithmetic(Elementwise):
    """An arithmetic operator. Logits shifted or scaled by plain numbers stay logits.

    Args:
        symbol: the operator.
        logits: the operands that may be logits for the result to be.
        mend: the help where one operand is a Mask, `{0}`.
        mend_masks: the help where both are, `{0}` and `{1}`.
    """

    def __init__(
        self,
        *texts: str,
        symbol: str,
        logits: tuple[int, ...] = (),
        mend: str = "for the numbers 0 and 1, convert it: {0} to Binary",
        mend_masks: str = "for the numbers 0 and 1, convert both: {0} to Binary",
        **rules: Any,
    ) -> None:
        super().__init__(*texts, takes_numbers=True, host=rules["template"], **rules)
        self.symbol = symbol
        self.logits = logits
        self.mend = mend
        self.mend_masks = mend_masks

    def check(self, call: OperationCall) -> Typed:
        nodes = self.nodes(call)
        if all(isinstance(n.type, HostType) for n in nodes):
            return self.on_host(call, nodes)
        return super().check(call)

    def on_host(self, call: OperationCall, nodes: Sequence[Typed]) -> Typed:
        """The operation on host numbers, whose result is one."""
        operands = self.read_operands(call)
        self.check_edges(call, operands)
        kinds = [n.type for n in nodes if isinstance(n.type, HostType)]
        kind = host_arithmetic(self.symbol, *kinds) if len(kinds) > 1 else host_negation(*kinds)
        return Host(call.span, kind, self.symbol, tuple(nodes))

    def read_operands(self, call: OperationCall) -> list[Operand]:
        operands = [call.operand(p.name) for p in self.parameter_list]
        masks = [o for o in operands if o.is_mask]
        if masks:
            self.refuse_masks(call, masks)
        return operands

    def refuse_masks(self, call: OperationCall, masks: Sequence[Operand]) -> NoReturn:
        """Reports E0505: a Mask holds no numbers."""
        first = masks[0]
        mend = self.mend if len(masks) == 1 else self.mend_masks
        is_bool = isinstance(first.node.type, HostType)
        call.refuse(
            "E0505",
            first.node.span,
            f"`{call.shown_name}` is arithmetic, and this is {mask_or_bool(first)}",
            label="holds true and false, not numbers",
            labels=[Label(o.node.span, "and this too") for o in masks[1:]],
            help=None if is_bool else mend.format(*(in_brackets(call, o.node) for o in masks)),
        )

    def special_domain(self, operands: Sequence[Domain], detail: object) -> Domain | None:
        for i in self.logits:
            domain = operands[i]
            if isinstance(domain, Semantic) and domain.kind == "Logit":
                others = (d for j, d in enumerate(operands) if j != i)
                return domain if all(self.keeps_logits(d) for d in others) else None
        return super().special_domain(operands, detail)

    def keeps_logits(self, other: Domain) -> bool:
        """Whether logits stay logits beside another operand of a domain: plain numbers."""
        return isinstance(other, Range)
