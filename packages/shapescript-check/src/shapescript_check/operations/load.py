"""`load(path, Types…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.checkpoints import path_argument
from shapescript_check.operations.families.training import HostOperation
from shapescript_check.operations.lowering import Emitter, constant, python
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import ModelType, OptimizerType
from shapescript_check.types.values import HostType, ResultsType, ValueType
from shapescript_syntax import tree

if TYPE_CHECKING:
    import ast


class Load(HostOperation):
    """Reads a checkpoint."""

    name = "load"
    signature = "fn load(path: str, types: Type, ...) -> (Type, ...)"
    doc = (
        "Reads a file that `save` wrote, as values of the given types, and refuses it where it holds others."
    )
    example = """\
dim Width = 4

model Line:
    param slope: [Width] = zeros

fn again() -> Line:
    save("line.pt", Line.init(seed=0), 3)
    m, epochs = load("line.pt", Line, int)
    print("after", epochs, "epochs")
    return m
"""
    parameters = (Parameter("path", optional=True), Parameter("types", Kind.TYPES, optional=True))
    once = True

    def check(self, call: OperationCall) -> Typed:
        path = path_argument(call)
        types: list[ValueType] = []
        for given in call.arguments.get("types", ()):
            if given.syntax is None or isinstance(given.syntax, tree.Pattern | tree.ShapeExpr):
                call.refuse(
                    "E1602",
                    given.span,
                    "a checkpoint holds no tensors of their own",
                    help="load the model that has it",
                )
            found = call.context.written_type(given.syntax)
            if found is None:
                call.stop()
            if not isinstance(found, ModelType | OptimizerType | HostType):
                text = call.context.text(given.span)
                call.refuse(
                    "E1602",
                    given.span,
                    f"a checkpoint holds models, optimizer state and host scalars, and not `{text}`",
                    help="write the type of each value in the file, such as Mlp, AdamW[Mlp] or int",
                )
            types.append(found)
        if not types:
            call.refuse(
                "E0406",
                call.callee_span,
                "`load` needs the types of the values in the file",
                help='write load("ckpt.pt", Mlp)',
            )
        kind = types[0] if len(types) == 1 else ResultsType(tuple(types))
        return call.result(kind, (path,), detail=tuple(types))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        result = python("_ss_rt.load(path)", path=emit.number_or_tensor(node.operands[0]))
        assert isinstance(result, ast.Call)
        result.args += [_type(t, emit) for t in node.detail]
        result.keywords.append(ast.keyword("where", constant(emit.where(node.span))))
        return result


def _type(kind: ValueType, emit: Emitter) -> ast.expr:
    import ast

    if isinstance(kind, ModelType):
        return emit.declared(kind.name)
    if isinstance(kind, OptimizerType):
        return python(f"_ss_rt.{kind.kind}[m]", m=emit.declared(kind.model))
    assert isinstance(kind, HostType)
    return ast.Name(kind.kind, ast.Load())


OPERATION = Load()
