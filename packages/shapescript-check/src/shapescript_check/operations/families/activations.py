"""Activations that take a number besides the tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapescript_check.operations.call import Operand, OperationCall
from shapescript_check.operations.families.elementwise import Elementwise, host_parameter
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Stored
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply
from shapescript_check.types.dtypes import DType
from shapescript_check.types.functions import FUNCTIONS
from shapescript_check.types.values import TensorType

if TYPE_CHECKING:
    import ast


class Activation(Elementwise):
    """An activation of torch.nn.functional. `number` is its parameter here, and `keyword` the one in torch."""

    def __init__(
        self, name: str, signature: str, doc: str, example: str, *, function: str, number: str, keyword: str
    ) -> None:
        super().__init__(
            name,
            signature,
            doc,
            example,
            transfer=FUNCTIONS[name],
            template=f"torch.nn.functional.{function}(x)",
            operands=("x", Parameter(number, optional=True)),
            floats=True,
        )
        self.number = number
        self.with_number = f"torch.nn.functional.{function}(x, {keyword}={number})"

    def read(self, call: OperationCall, name: str) -> Operand:
        return host_parameter(call, name) if name == self.number else super().read(call, name)

    def dtype_of(self, operands: Sequence[Stored], detail: object) -> DType | None:
        return super().dtype_of(operands[:1], detail)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x = self.part(node, 0, emit)
        kind = node.operands[0].type
        dtype = kind.dtype if isinstance(kind, TensorType) else DType.F32
        if dtype is None:
            x = python("f(x)", f=emit.runtime("as_float"), x=x)
        elif dtype.is_int:
            # torch has no integer kernels for these.
            x = python("x.to(t)", x=x, t=emit.dtype(DType.F32))
        if len(node.operands) == 1:
            return python(self.template, x=x)
        return python(self.with_number, **{"x": x, self.number: emit.number_or_tensor(node.operands[1])})
