"""`update(mut m, mut opt, g)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import GradType, ModelType, OptimizerType
from shapescript_check.types.values import NO_RESULT, ErrorType, PythonType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class Update(HostOperation):
    """One step of an optimizer."""

    name = "update"
    signature = "fn update(mut m: Model, mut opt: Optimizer[Model], g: Grad[Model])"
    doc = "Applies one step of the optimizer state `opt` to the model `m`, with the gradient `g`, and counts it."
    example = """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn error(m: Line, x: [n Width], y: [n]) -> [] NonNeg = mse_loss(x @ m.slope, y)

fn fit(mut m: Line, x: [n Width], y: [n], steps: int) -> SGD[Line]:
    opt = sgd(m, lr=0.1, momentum=0.9)
    for i in 0..steps:
        l, g = value_and_grad(error, m, x, y)
        update(mut m, mut opt, g)
    return opt
"""
    parameters = (Parameter("m"), Parameter("opt"), Parameter("g"))
    changes = frozenset({"m", "opt"})

    def check(self, call: OperationCall) -> Typed:
        for name in ("m", "opt", "g"):
            given = call.given(name)
            if given.name is not None:
                call.refuse("E0406", given.name.span, "`update` takes its three arguments by position")
        m, opt, g = (call.value(n) for n in ("m", "opt", "g"))
        kinds = [n.type for n in (m, opt, g)]
        if any(isinstance(k, ErrorType) for k in kinds):
            call.stop()
        if not isinstance(m.type, ModelType | PythonType):
            call.refuse("E1505", m.span, f"`update` changes a model, and this is {described(m.type)}")
        if not isinstance(opt.type, OptimizerType | PythonType):
            call.refuse(
                "E1503",
                opt.span,
                f"`update` needs the state of an optimizer, and this is {described(opt.type)}",
                help="adamw(m, lr=3e-4) and sgd(m, lr=0.1) make one",
            )
        if not isinstance(g.type, GradType | PythonType):
            call.refuse(
                "E1505",
                g.span,
                f"`update` needs a gradient, and this is {described(g.type)}",
                help="value_and_grad(loss, m, ...) gives one",
            )
        self._same_model(call, m, opt, g)
        return call.result(NO_RESULT, (m, opt, g))

    def _same_model(self, call: OperationCall, m: Typed, opt: Typed, g: Typed) -> None:
        of = {ModelType: "name", OptimizerType: "model", GradType: "model"}
        models = [(n, getattr(n.type, of[type(n.type)])) for n in (m, opt, g) if type(n.type) in of]
        for node, model in models[1:]:
            if model != models[0][1]:
                call.refuse(
                    "E1502",
                    node.span,
                    f"this is {node.type}, and what is updated is of model `{models[0][1]}`",
                )

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        m, opt, g = lowered_arguments(node, emit)
        return python("_ss_rt.update(m, opt, g)", m=m, opt=opt, g=g)


OPERATION = Update()
