"""`clip_norm(g, max_norm)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation, host_argument, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import GradType
from shapescript_check.types.values import ErrorType, PythonType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class ClipNorm(HostOperation):
    """Scales a gradient down where it is long."""

    name = "clip_norm"
    signature = "fn clip_norm(g: Grad[Model], max_norm: float) -> Grad[Model]"
    doc = (
        "Scales a gradient so that the norm of all its values together is at most `max_norm`, as "
        "torch.nn.utils.clip_grad_norm_ does."
    )
    example = """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn tamed(g: Grad[Line]) -> Grad[Line] = g |> clip_norm(1.0)
"""
    parameters = (Parameter("g"), Parameter("max_norm"))

    def check(self, call: OperationCall) -> Typed:
        g = call.value("g")
        if isinstance(g.type, ErrorType):
            call.stop()
        if not isinstance(g.type, GradType | PythonType):
            call.refuse("E1505", g.span, f"`clip_norm` scales a gradient, and this is {described(g.type)}")
        return call.result(g.type, (g, host_argument(call, "max_norm", "float")))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        g, limit = lowered_arguments(node, emit)
        return python("_ss_rt.clip_norm(g, limit)", g=g, limit=limit)


OPERATION = ClipNorm()
