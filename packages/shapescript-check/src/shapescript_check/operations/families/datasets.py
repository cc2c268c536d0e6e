"""Stages of a dataset, which may only be given one."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.typed.tree import Typed
from shapescript_check.types.entities import DatasetType
from shapescript_check.types.values import ErrorType
from shapescript_check.types.wording import described


def dataset_argument(call: OperationCall, already: str) -> tuple[Typed, DatasetType]:
    """The dataset that a stage is given, which is not in batches yet; `already` says why that matters."""
    node = call.value("dataset")
    kind = node.type
    if isinstance(kind, ErrorType):
        call.stop()
    if not isinstance(kind, DatasetType):
        call.refuse(
            "E1304",
            node.span,
            f"`{call.shown_name}` is a stage of a dataset, and this is {described(kind)}",
            help="a dataset is a parameter, as in train: Dataset[Digit]",
        )
    if kind.batched:
        call.refuse("E1304", call.callee_span, already, help="cut it into batches last, and once")
    return node, kind
