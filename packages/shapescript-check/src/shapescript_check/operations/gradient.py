"""`gradient(y, x)`."""

from __future__ import annotations

import ast

from shapescript_check.declarations.interfaces import ModelInterface
from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.positions import rank_of, type_values
from shapescript_check.operations.families.training import HostOperation
from shapescript_check.operations.flows import Mixed, OperandFlows
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter, X
from shapescript_check.typed.tree import Apply, FieldOf, Local, Typed
from shapescript_check.types.domains import REAL
from shapescript_check.types.entities import ModelType
from shapescript_check.types.values import ErrorType, HostType, TensorType
from shapescript_check.types.wording import described


class Gradient(HostOperation):
    """A derivative by a value of the function. That y is computed from x, `bodies.differentiation` checks."""

    name = "gradient"
    signature = "fn gradient(y: [], x: [...]) -> [...]"
    doc = (
        "The gradient of a [] of floats with respect to a tensor that it is computed from in the same function: `x` is "
        "the name of a value, or a param of a model. It can be differentiated again, so that a loss may contain it."
    )
    example = """\
dim D = 8

fn energy(x: [b D], w: [D D]) -> [] = sum(square(tanh(x @ w)))

## One step downhill from x.
fn relaxed(x: [b D], w: [D D]) -> [b D]:
    e = energy(x, w)
    return x - 0.1 * gradient(e, x)
"""
    parameters = (Parameter("y"), X)

    def check(self, call: OperationCall) -> Typed:
        type_values(call, "y", "x")
        y, x = call.value("y"), call.value("x")
        if isinstance(y.type, ErrorType) or isinstance(x.type, ErrorType):
            call.stop()
        self._check_value(call, y)
        kind = self._by(call, x)
        if not _names_a_value(call, x):
            call.refuse(
                "E3403",
                x.span,
                "a gradient is with respect to a name's value or a param, from which the other value is computed",
                help="bind this to a name, and compute the other value from that",
            )
        return call.result(TensorType(kind.axes, kind.dtype, REAL), (y, x))

    def _check_value(self, call: OperationCall, y: Typed) -> None:
        kind = y.type
        if isinstance(kind, TensorType) and kind.axes == () and _holds_floats(kind):
            return
        if not isinstance(kind, TensorType | HostType):
            call.not_a_tensor(y)
        what = str(kind) if isinstance(kind, TensorType) else described(kind)
        several = isinstance(kind, TensorType) and kind.axes != ()
        call.refuse(
            "E3401",
            y.span,
            f"a gradient is that of one float, and this is {what}",
            help="reduce it to one number, with mean or sum" if several else None,
        )

    def _by(self, call: OperationCall, x: Typed) -> TensorType:
        kind = x.type
        if not isinstance(kind, TensorType | HostType):
            call.not_a_tensor(x)
        if not isinstance(kind, TensorType) or not _holds_floats(kind):
            what = str(kind) if isinstance(kind, TensorType) else described(kind)
            call.refuse(
                "E3402", x.span, f"a gradient is with respect to floats in a tensor, and this is {what}"
            )
        return kind

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        # What y does with x isn't known here, so each position may depend on all.
        return ((), tuple((Mixed(i, self.name),) for i in range(rank_of(node.operands[1]))))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        y, x = node.operands
        return python("_ss_rt.gradient(y, x, again)", y=emit.tensor(y), x=emit.tensor(x), again=emit.again())


def _holds_floats(kind: TensorType) -> bool:
    return kind.dtype is not None and kind.dtype.is_float


def _names_a_value(call: OperationCall, x: Typed) -> bool:
    """Whether a graph has it from where it is bound on: a name, or a param of a model."""
    if isinstance(x, Local):
        return True
    if not isinstance(x, FieldOf) or not isinstance(x.value, Local):
        return False
    owner = x.value.type
    model = call.context.declaration(owner.name) if isinstance(owner, ModelType) else None
    return isinstance(model, ModelInterface) and any(p.name == x.name for p in model.params)


OPERATION = Gradient()
