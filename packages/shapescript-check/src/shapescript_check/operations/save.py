"""`save(path, values…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.checkpoints import path_argument
from shapescript_check.operations.families.training import HostOperation, lowered_arguments
from shapescript_check.operations.lowering import Emitter, constant, python
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import ModelType, OptimizerType
from shapescript_check.types.values import NO_RESULT, ErrorType, HostType, PythonType, TensorType
from shapescript_check.types.wording import described

if TYPE_CHECKING:
    import ast


class Save(HostOperation):
    """Writes a checkpoint."""

    name = "save"
    signature = "fn save(path: str, values: Any, ...)"
    doc = (
        "Writes models, optimizer state, ints, floats and bools to a file, replacing it whole or not at all."
    )
    example = """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn keep(m: Line, opt: AdamW[Line], epochs: int):
    save("line.pt", m, opt, epochs)
"""
    parameters = (Parameter("path", optional=True), Parameter("values", Kind.VALUES, optional=True))
    once = True

    def check(self, call: OperationCall) -> Typed:
        path = path_argument(call)
        values = call.values("values")
        if not values:
            call.refuse(
                "E0406", call.callee_span, "`save` needs values to save", help='write save("ckpt.pt", m)'
            )
        for node in values:
            kind = node.type
            if isinstance(kind, ErrorType):
                call.stop()
            if not isinstance(kind, ModelType | OptimizerType | HostType | PythonType):
                call.refuse(
                    "E1601",
                    node.span,
                    f"a checkpoint holds models, optimizer state and host scalars, and this is {described(kind)}",
                    help="keep it in a model, as a buffer if it isn't trained"
                    if isinstance(kind, TensorType)
                    else None,
                )
        return call.result(NO_RESULT, (path, *values))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        result = python("_ss_rt.save()")
        assert isinstance(result, ast.Call)
        result.args += lowered_arguments(node, emit)
        result.keywords.append(ast.keyword("where", constant(emit.where(node.span))))
        return result


OPERATION = Save()
