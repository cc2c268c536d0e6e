"""`shuffle(dataset, seed=s)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.datasets import dataset_argument
from shapescript_check.operations.families.training import HostOperation, host_argument, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed

if TYPE_CHECKING:
    import ast


class Shuffle(HostOperation):
    """A dataset in another order."""

    name = "shuffle"
    signature = "fn shuffle(dataset: Dataset[Record], seed: int) -> Dataset[Record]"
    doc = "The same examples in an order that the seed alone decides."
    example = """\
data Pair:
    x: [2]
    y: []

fn count(pairs: Dataset[Pair], epoch: int) -> int:
    n = 0
    for batch in pairs |> shuffle(seed=epoch) |> batches(8):
        n = n + 1
    return n
"""
    parameters = (Parameter("dataset"), Parameter("seed", keyword_only=True))

    def check(self, call: OperationCall) -> Typed:
        dataset, kind = dataset_argument(call, "`shuffle` after `batches` would shuffle whole batches")
        return call.result(kind, (dataset, host_argument(call, "seed", "int")))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        dataset, seed = lowered_arguments(node, emit)
        return python("_ss_rt.shuffled(dataset, s)", dataset=dataset, s=seed)


OPERATION = Shuffle()
