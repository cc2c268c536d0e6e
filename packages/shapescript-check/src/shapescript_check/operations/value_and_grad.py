"""`value_and_grad(f, m, ...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.declarations.interfaces import Broken, FnInterface, ModelInterface
from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, CallFn, Typed
from shapescript_check.types.entities import GradType, ModelType
from shapescript_check.types.values import ErrorType, ResultsType, TensorType
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label

if TYPE_CHECKING:
    import ast


class ValueAndGrad(HostOperation):
    """A function's value and its gradient with respect to the params of its first argument, a model."""

    name = "value_and_grad"
    signature = "fn value_and_grad(f: Function, m: Model, ...) -> ([], Grad[Model])"
    doc = (
        "Calls `f(m, ...)` and gives its value, and its gradient with respect to the params of the model `m`. "
        "Nothing is kept between calls, so there is nothing to zero."
    )
    example = """\
dim Width = 4

model Line:
    param slope: [Width] = normal(std=0.1)

fn error(m: Line, x: [n Width], y: [n]) -> [] NonNeg = mse_loss(x @ m.slope, y)

fn step(mut m: Line, x: [n Width], y: [n]) -> []:
    l, g = value_and_grad(error, m, x, y)
    m.slope = m.slope - 0.1 * g.slope
    return l
"""
    parameters = (Parameter("f", Kind.FUNCTION), Parameter("arguments", Kind.ARGUMENTS))

    def check(self, call: OperationCall) -> Typed:
        function = self._function(call)
        given = call.arguments.get("arguments", [])
        typed = call.context.call(function, given, call.span, call.callee_span)
        if isinstance(typed.type, ErrorType):
            call.stop()
        kind = typed.type
        if not isinstance(kind, TensorType) or kind.axes != () or not _holds_floats(kind):
            axes = isinstance(kind, TensorType) and kind.axes != ()
            call.refuse(
                "E1106",
                call.given("f").span,
                f"a [] of floats has a gradient, and `{function.name}` gives {described(kind)}",
                help="reduce its result to one number, with mean or sum" if axes else None,
            )
        model = function.parameters[0].type
        assert isinstance(model, ModelType)
        self._check_reads(call, function, model)
        return call.result(ResultsType((kind, GradType(model.name))), (typed,))

    def _function(self, call: OperationCall) -> FnInterface:
        f = call.given("f")
        given = call.arguments.get("arguments", [])
        found = call.context.function_for(f.syntax, given) if isinstance(f.syntax, tree.Ident) else None
        if isinstance(found, Broken):
            call.stop()
        if found is None and isinstance(f.syntax, tree.Ident) and call.context.is_unknown(f.syntax):
            call.stop()
        if not isinstance(found, FnInterface) or found.path is not None:
            call.refuse(
                "E1105",
                f.span,
                "what is differentiated is a function of the program, by its name",
                help="write value_and_grad(loss, m, ...) for fn loss(m: Mlp, ...) -> []",
            )
        first = found.parameters[0].type if found.parameters else None
        if isinstance(first, ErrorType):
            call.stop()
        if not isinstance(first, ModelType):
            call.refuse(
                "E1105",
                f.span,
                f"the first parameter of `{found.name}` isn't a model, so there is nothing to differentiate it by",
                labels=(Label(None, "declared here", found.key),),
            )
        changed = [p.name for p in found.parameters if p.mut]
        if changed:
            call.refuse(
                "E1105", f.span, f"`{found.name}` changes `{changed[0]}`, so it can't be differentiated"
            )
        return found

    def _check_reads(self, call: OperationCall, function: FnInterface, kind: ModelType) -> None:
        read = call.context.params_read(function.key)
        model = call.context.declaration(kind.name)
        if read is None or not isinstance(model, ModelInterface):
            return
        params = [f.name for f in model.params]
        f = call.given("f")
        if not read & set(params):
            call.refuse(
                "E1107",
                f.span,
                f"`{function.name}` reads no param of `{kind.name}`, so its gradient is always zero",
            )
        for name in params:
            if name not in read:
                call.warn(
                    "W1101",
                    f.span,
                    f"`{function.name}` never reads param `{name}` of `{kind.name}`, whose gradient is always zero",
                    help="remove the param, or make it a buffer",
                )

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        (inner,) = node.operands
        assert isinstance(inner, CallFn)
        called = emit.number_or_tensor(inner)
        assert isinstance(called, ast.Call)
        result = python("_ss_rt.value_and_grad(f)", f=called.func)
        assert isinstance(result, ast.Call)
        result.args += called.args
        result.keywords += called.keywords
        return result


def _holds_floats(kind: TensorType) -> bool:
    return kind.dtype is not None and kind.dtype.kind == "float"


OPERATION = ValueAndGrad()
