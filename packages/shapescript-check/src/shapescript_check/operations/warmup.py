"""`warmup(steps, then)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.optimizers import check_rate
from shapescript_check.operations.families.training import HostOperation, host_argument, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import SCHEDULE

if TYPE_CHECKING:
    import ast


class Warmup(HostOperation):
    """A learning rate that rises first."""

    name = "warmup"
    signature = "fn warmup(steps: int, then: Schedule) -> Schedule"
    doc = (
        "A learning rate that rises in a straight line for `steps` steps, and then is `then`, started afresh."
    )
    example = """\
fn rate() -> Schedule = warmup(100, cosine(1e-3, 1000))
"""
    parameters = (Parameter("steps"), Parameter("then"))

    def check(self, call: OperationCall) -> Typed:
        return call.result(SCHEDULE, (host_argument(call, "steps", "int"), check_rate(call, "then")))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        steps, then = lowered_arguments(node, emit)
        return python("_ss_rt.warmup(steps, then)", steps=steps, then=then)


OPERATION = Warmup()
