"""`batches(dataset, n)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.families.datasets import dataset_argument
from shapescript_check.operations.families.training import HostOperation, host_argument, lowered_arguments
from shapescript_check.operations.lowering import Emitter, python
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Apply, Typed
from shapescript_check.types.entities import DatasetType
from shapescript_check.types.values import HostType

if TYPE_CHECKING:
    import ast


class Batches(HostOperation):
    """A dataset a batch at a time."""

    name = "batches"
    signature = "fn batches(dataset: Dataset[Record], n: int) -> Batches[Record]"
    doc = "Batches of `n` examples for a loop; the last one has the examples that are left."
    example = """\
data Pair:
    x: [2]
    y: []

fn total(pairs: Dataset[Pair]) -> []:
    sum_of_all = zeros([])
    for batch in pairs |> batches(8):
        sum_of_all = sum_of_all + sum(batch.y)
    return sum_of_all
"""
    parameters = (Parameter("dataset"), Parameter("n"))

    def check(self, call: OperationCall) -> Typed:
        dataset, kind = dataset_argument(call, "this dataset is in batches already")
        n = host_argument(call, "n", "int")
        if isinstance(n.type, HostType) and n.type.interval.hi < 1:
            call.refuse("E1304", n.span, "a batch has at least 1 example")
        return call.result(DatasetType(kind.record, True), (dataset, n))

    def lower(self, node: Apply, emit: Emitter) -> ast.expr:
        dataset, n = lowered_arguments(node, emit)
        return python("_ss_rt.batched(dataset, n, w)", dataset=dataset, n=n, w=emit.where(node.span))


OPERATION = Batches()
