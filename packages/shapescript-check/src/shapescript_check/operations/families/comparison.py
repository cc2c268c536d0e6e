"""Comparisons of numbers, and `and`, `or` and `!` of masks."""

from __future__ import annotations

from collections.abc import Sequence

from shapescript_check.operations.call import Operand, OperationCall, Refused
from shapescript_check.operations.families.elementwise import Elementwise, mask_or_bool
from shapescript_check.operations.families.pasting import in_brackets
from shapescript_check.operations.operation import Stored
from shapescript_check.types.domains import MASK, Domain
from shapescript_check.types.dtypes import DType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import HostType


def _any_number(*_operands: Interval, dtype: DType | None = None) -> Interval:
    return Interval.UNIT


class Truth(Elementwise):
    """An elementwise operation that gives a Mask. It is written as an operator, which is its name."""

    def __init__(
        self,
        name: str,
        doc: str,
        example: str,
        *,
        template: str,
        host: str | None = None,
        operands: tuple[str, ...] = ("x", "y"),
    ) -> None:
        signature = f"{name}x" if len(operands) == 1 else f"x {name} y"
        super().__init__(
            name,
            signature,
            doc,
            example,
            transfer=_any_number,
            template=template,
            operands=operands,
            takes_numbers=True,
            host=host or template,
        )

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        return DType.BOOL

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        return MASK


class Comparison(Truth):
    """A comparison of numbers; `masks` says whether two masks can be compared too."""

    def __init__(self, name: str, doc: str, example: str, *, masks: bool = False) -> None:
        super().__init__(name, doc, example, template=f"x {name} y")
        self.masks = masks

    def read_operands(self, call: OperationCall) -> list[Operand]:
        operands = [call.operand(p.name) for p in self.parameter_list]
        masks = [o for o in operands if o.is_mask]
        if not masks or (self.masks and len(masks) == len(operands)):
            return operands
        for mask in masks:
            self._refuse(call, mask)
        raise Refused

    def _refuse(self, call: OperationCall, mask: Operand) -> None:
        on_host = isinstance(mask.node.type, HostType)
        takes = "numbers with numbers or masks with masks" if self.masks else "numbers"
        call.warn(
            "E0501",
            mask.node.span,
            f"`{self.name}` compares {takes}, and this is {mask_or_bool(mask)}",
            label="holds true and false",
            help=None
            if on_host
            else f"for the numbers 0 and 1, convert it: {in_brackets(call, mask.node)} to Binary",
        )


class Logic(Truth):
    """An operation on masks."""

    def read(self, call: OperationCall, name: str) -> Operand:
        operand = call.operand(name)
        if not operand.is_mask:
            call.refuse(
                "E0501",
                operand.node.span,
                f"`{self.name}` takes masks, and this holds numbers",
                help=f"compare it, as in {in_brackets(call, operand.node)} != 0",
            )
        return operand
