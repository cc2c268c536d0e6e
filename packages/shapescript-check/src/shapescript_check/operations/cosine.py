"""`cosine(peak, steps, end)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.training import HostOperation, host_argument, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import SCHEDULE

if TYPE_CHECKING:
    import ast


class Cosine(HostOperation):
    """A learning rate along half a cosine."""

    name = "cosine"
    signature = "fn cosine(peak: float, steps: int, end = 0.0) -> Schedule"
    doc = (
        "A learning rate that starts at `peak`, follows half a cosine down to `end` at step `steps`, and stays there: "
        "torch's CosineAnnealingLR up to that step."
    )
    example = """\
fn rate() -> Schedule = cosine(1e-3, 1000, end=1e-5)
"""
    parameters = (Parameter("peak"), Parameter("steps"), Parameter("end", optional=True))

    def check(self, call: OperationCall) -> Typed:
        operands = [host_argument(call, "peak", "float"), host_argument(call, "steps", "int")]
        if call.has("end"):
            operands.append(host_argument(call, "end", "float"))
        return call.result(SCHEDULE, operands)

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        import ast

        result = python("_ss_rt.cosine()")
        assert isinstance(result, ast.Call)
        result.args += lowered_arguments(node, emit)
        return result


OPERATION = Cosine()
