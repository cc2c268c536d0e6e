"""Arguments that are true or false, and decide what an operation is."""

from __future__ import annotations

from shapescript_check.operations.call import OperationCall
from shapescript_check.operations.parameters import Parameter
from shapescript_check.typed.tree import Literal
from shapescript_check.types.values import ErrorType


def flag(name: str) -> Parameter:
    """A parameter that is true or false, and false where it is left out."""
    return Parameter(name, optional=True, keyword_only=True)


def is_set(call: OperationCall, name: str) -> bool:
    """Whether `name=true` is written. Reports E0406 for what is no literal."""
    if not call.has(name):
        return False
    node = call.value(name)
    if isinstance(node.type, ErrorType):
        call.stop()
    if not isinstance(node, Literal) or not isinstance(node.value, bool):
        call.refuse(
            "E0406", node.span, f"`{name}=` is true or false, written out, since it decides what is computed"
        )
    return node.value
