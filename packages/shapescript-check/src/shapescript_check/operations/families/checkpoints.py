"""What `save` and `load` share."""

from __future__ import annotations

from typing import TypeGuard

from shapescript_check.declarations.interfaces import Broken, Interface, PythonModule, what_it_is
from shapescript_check.operations.call import OperationCall
from shapescript_check.typed.tree import Typed
from shapescript_check.types.values import ErrorType, PythonType, StringType, TensorType, ValueType
from shapescript_check.types.wording import described
from shapescript_syntax import tree

_FROM_PYTHON = (
    "no parameter takes text: write the path here, or take it from a module, with import python settings"
)


def path_argument(call: OperationCall) -> Typed:
    """The file's path: a string or a Python value, given first, by position."""
    if not call.has("path") or call.given("path").name is not None:
        where = call.given("path").span if call.has("path") else call.callee_span
        call.refuse(
            "E1603",
            where,
            f"`{call.shown_name}` takes the path of a file first, by position",
            help=_example(call),
        )
    syntax = call.given("path").syntax
    if isinstance(syntax, tree.Ident) and _is_no_value(found := call.context.declaration(syntax.name)):
        call.refuse(
            "E1603",
            syntax.span,
            f"the path of a checkpoint is a string, and `{syntax.name}` is {what_it_is(found)}",
            help=_example(call),
        )
    node = call.value("path")
    if isinstance(node.type, ErrorType):
        call.stop()
    if not isinstance(node.type, StringType | PythonType):
        call.refuse(
            "E1603",
            node.span,
            f"the path of a checkpoint is a string, and this is {described(node.type)}",
            help=_example(call) if not _without_shape(node.type) else _FROM_PYTHON,
        )
    return node


def _is_no_value(found: Interface | None) -> TypeGuard[Interface]:
    return found is not None and not isinstance(found, Broken | PythonModule)


def _without_shape(kind: ValueType) -> bool:
    """Whether it is a type that a parameter was given in the hope that it takes text."""
    return isinstance(kind, TensorType) and kind.axes is None


def _example(call: OperationCall) -> str:
    return 'write save("ckpt.pt", m)' if call.shown_name == "save" else 'write load("ckpt.pt", Mlp)'
