"""`print(a, b, ...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Kind, Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.values import NO_RESULT, ErrorType, NoResult, ResultsType

if TYPE_CHECKING:
    import ast


class Print(HostOperation):
    """Prints values."""

    name = "print"
    signature = "fn print(values: Any, ...)"
    doc = "Prints any values with spaces between: tensors on any device, host scalars, strings, models, logs records."
    example = """\
fn report(x: [n]) -> [n]:
    print("the mean of", n, "values is", mean(x))
    return x
"""
    parameters = (Parameter("values", Kind.VALUES, optional=True),)
    once = True

    def check(self, call: OperationCall) -> Typed:
        values = call.values("values")
        for node in values:
            if isinstance(node.type, ErrorType):
                call.stop()
            if isinstance(node.type, ResultsType | NoResult):
                call.refuse("E0412", node.span, f"`print` prints values, and this is {node.type}")
        return call.result(NO_RESULT, values)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        result = python("_ss_rt.print_values()")
        assert isinstance(result, ast.Call)
        result.args += lowered_arguments(node, emit)
        return result


OPERATION = Print()
