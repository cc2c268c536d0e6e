"""`dropout(x, p, mode)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import host_argument
from shapescript_check.operations.flows import OperandFlows, kept
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.operation import Operation
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.domains import REAL
from shapescript_check.types.entities import ModeType
from shapescript_check.types.values import ErrorType, PythonType, TensorType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class Dropout(Operation):
    """Zeroes values at random while training."""

    name = "dropout"
    signature = "fn dropout(x: [...], p: float, mode: Mode) -> [...]"
    doc = (
        "With Train(seed=s), zeroes each value with probability `p` and divides the others by 1 - p; with Eval and "
        "Sample(seed=s), gives `x` itself."
    )
    example = """\
fn thinned(x: [n], mode: Mode) -> [n] = x |> dropout(0.5, mode)
"""
    parameters = (Parameter("x"), Parameter("p"), Parameter("mode", mode=True))

    def check(self, call: OperationCall) -> Typed:
        x = call.value("x")
        kind = call.tensor("x")
        if kind.dtype is not None and kind.dtype.kind != "float":
            call.refuse(
                "E0502",
                x.span,
                f"`dropout` takes floats, and this is stored as {kind.dtype}",
                help="convert it: to f32",
            )
        p = host_argument(call, "p", "float")
        mode = mode_argument(call, "mode")
        return call.result(TensorType(kind.axes, kind.dtype, REAL), (x, p, mode))

    def flows(self, node: Apply) -> tuple[OperandFlows, ...]:
        kind = node.type
        rank = kind.rank if isinstance(kind, TensorType) else 0
        return (kept(tuple(range(rank))), (), ())

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        x, p, mode = node.operands
        return python(
            "_ss_rt.dropout(x, p, mode)",
            x=emit.tensor(x),
            p=emit.number_or_tensor(p),
            mode=emit.mode_for(mode, self.name),
        )


def mode_argument(call: OperationCall, name: str) -> Typed:
    """An argument that has to be a mode, or a Python value."""
    node = call.value(name)
    if isinstance(node.type, ErrorType):
        call.stop()
    if not isinstance(node.type, ModeType | PythonType):
        call.refuse(
            "E1202",
            node.span,
            f"`{name}` of `{call.shown_name}` is a mode, and this is {described(node.type)}",
            help="pass Train(seed=0) to train, Eval to evaluate, or Sample(seed=0) to draw without training",
        )
    return node


OPERATION = Dropout()
