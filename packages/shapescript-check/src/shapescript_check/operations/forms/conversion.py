"""The conversions that `to` makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.flows import Flow, Kept, Mixed, OperandFlows
from shapescript_check.operations.forms.storage import converted_domain
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation, Stored
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import Domain, IndexOf, Semantic
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Conversion(Operation):
    """One row of the table. `template` computes it from `x`, and `dim`, the axis it is along, if it has one.

    `widening` is the template for distributions that are stored in a wider dtype, whose sums it promises to be nearer
    to 1 than they were.
    """

    def __init__(
        self,
        name: str,
        source: str,
        target: str,
        template: str,
        *,
        keeps_dtype: bool = True,
        widening: str | None = None,
        example: str,
    ) -> None:
        self.name = name
        self.source = source
        self.target = target
        self.template = template
        self.keeps_dtype = keeps_dtype
        self.widening = widening or template
        self.signature = f"{source} to {target}"
        self.doc = f"Converts {source} values to {target}."
        self.example = example

    def check(self, call: OperationCall) -> Typed:
        raise AssertionError("conversions are written with `to`")

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        kind = node.type
        assert isinstance(kind, TensorType)
        operand = node.operands[0].type
        rank = operand.rank if isinstance(operand, TensorType) else 0
        template = self._computed(*node.detail)[1]
        mixed = kind.domain.over if isinstance(kind.domain, Semantic) and "softmax" in template else None
        flows: list[tuple[Flow, ...]] = [
            (Mixed(i, "softmax") if i == mixed else Kept(i),) for i in range(rank)
        ]
        return (tuple(flows),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        source, dtype = node.detail
        assert isinstance(source, TensorType)
        x = emit.tensor(node.operands[0])
        mine, template = self._computed(source, dtype)
        if mine is not None and mine is not source.dtype:
            x = python("x.to(t)", x=x, t=emit.dtype(mine))
        elif mine is None and self.keeps_dtype:
            x = python("f(x)", f=emit.runtime("as_float"), x=x)
        parts: dict[str, ast.expr | int] = {"x": x}
        kind = node.type
        if "dim" in template:
            assert isinstance(kind, TensorType) and isinstance(kind.domain, Semantic)
            parts["k"] = kind.domain.over
        if "V" in template:
            assert isinstance(source.domain, IndexOf)
            parts["V"] = emit.size(source.domain.size)
        if "dtype" in template:
            parts["t"] = emit.dtype(dtype)
            return python(template, **parts)
        result = python(template, **parts)
        if dtype is not None and dtype is not mine:
            result = python("x.to(t)", x=result, t=emit.dtype(dtype))
        return result

    def _computed(self, source: TensorType, dtype: DType | None) -> tuple[DType | None, str]:
        """The dtype that the operand is stored in first, None for its own or the default float, and the template."""
        mine = source.dtype
        if not self.keeps_dtype or mine is None or dtype is None:
            wide = self.keeps_dtype and dtype is not None and dtype.bits > 16
            return dtype if mine is None and wide else mine, self.template
        first = _computed_in(mine, dtype)
        return first, self.template if first is mine else self.widening


def _computed_in(mine: DType, dtype: DType) -> DType:
    """The dtype that a conversion to `dtype` computes in: the wider of the two, and never integers, which have no float
    functions and may be past what the 16-bit floats hold."""
    if mine.kind != "float":
        return dtype if dtype.bits > 16 else DType.F32
    return dtype if dtype.bits > mine.bits else mine


class ToDType(Operation):
    """A change of how values are stored."""

    name = "to_dtype"
    signature = "x to dtype"
    doc = "Stores the same values in another dtype."
    example = "fn totals(amounts: [n] f16) -> [n] f64 = cumsum(amounts to f64, over=n)\n"
    elementwise = True

    def check(self, call: OperationCall) -> Typed:
        raise AssertionError("conversions are written with `to`")

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        assert isinstance(detail, tuple)
        _, dtype = detail
        assert isinstance(dtype, DType)
        return dtype

    def domain(self, operands: Sequence[Domain], dtype: DType | None, detail: object) -> Domain:
        assert isinstance(detail, tuple)
        return converted_domain(operands[0], *detail)

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        kind = node.type
        rank = kind.rank if isinstance(kind, TensorType) else 0
        return (tuple((Kept(i),) for i in range(rank)),)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        _, dtype = node.detail
        return python("x.to(t)", x=emit.tensor(node.operands[0]), t=emit.dtype(dtype))


TO_DTYPE = ToDType()

CONVERSIONS: dict[tuple[str, str], Conversion] = {
    (c.source, c.target): c
    for c in (
        Conversion(
            "to_prob",
            "Logit",
            "Prob",
            "torch.softmax(x, dim=k)",
            example="fn forecast(z: [day Sky] Logit over Sky) -> [day Sky] Prob over Sky = z to Prob over Sky\n",
        ),
        Conversion(
            "to_log_prob",
            "Logit",
            "LogProb",
            "torch.log_softmax(x, dim=k)",
            example="fn losses(z: [day Sky], seen: [day Sky] Binary) -> [day Sky] = -seen * (z to LogProb over Sky)\n",
        ),
        Conversion(
            "log_of_prob",
            "Prob",
            "LogProb",
            "torch.log(x)",
            widening="torch.log_softmax(torch.log(x), dim=k)",
            example="fn evidence(p: [n C] Prob over C) -> [C] = sum(p to LogProb over C, over=n)\n",
        ),
        Conversion(
            "exp_of_log_prob",
            "LogProb",
            "Prob",
            "torch.exp(x)",
            widening="torch.softmax(x, dim=k)",
            example="fn likeliest(q: [n C] LogProb over C) -> [n] Unit = max(q to Prob over C, over=C)\n",
        ),
        Conversion(
            "unit_to_signed",
            "Unit",
            "Signed",
            "2 * x - 1",
            example="fn centred(pixels: [h w] Unit) -> [h w] Signed = pixels to Signed\n",
        ),
        Conversion(
            "signed_to_unit",
            "Signed",
            "Unit",
            "(x + 1) / 2",
            example="fn shown(wave: [t] Signed) -> [t] Unit = wave to Unit\n",
        ),
        Conversion(
            "u8_to_unit",
            "u8",
            "Unit",
            "x.to(dtype=t) / 255",
            keeps_dtype=False,
            example="fn pixels(photo: [3 h w] u8) -> [3 h w] Unit = photo to Unit\n",
        ),
        Conversion(
            "mask_to_binary",
            "Mask",
            "Binary",
            "x.to(dtype=t)",
            keeps_dtype=False,
            example="fn share(hits: [n] Mask) -> [] Unit = mean(hits to Binary)\n",
        ),
        Conversion(
            "mask_to_additive",
            "Mask",
            "Additive",
            "_ss_rt.to_additive(x, dtype=t)",
            keeps_dtype=False,
            example="fn hidden(z: [n m], seen: [m] Mask) -> [n m] = z + (seen to Additive)\n",
        ),
        Conversion(
            "one_hot",
            "Index",
            "Binary",
            "_ss_rt.one_hot_binary(x, V, dtype=t)",
            keeps_dtype=False,
            example="dim V = 6\n\nfn counts(words: [n] Index[V]) -> [V] = sum(words to [n V] Binary, over=n)\n",
        ),
    )
}

__all__ = ["CONVERSIONS", "TO_DTYPE", "Conversion"]
