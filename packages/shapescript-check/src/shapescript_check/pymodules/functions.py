"""What Python can call under a function's name, with types as far as the file says them."""

from __future__ import annotations

from shapescript_check.declarations.entity_types import OF_MODELS
from shapescript_check.declarations.interfaces import (
    DataInterface,
    FnInterface,
    GenericInterface,
    Interface,
    ModelInterface,
    OverloadsInterface,
)
from shapescript_check.declarations.module import Declared
from shapescript_check.declarations.reporting import Reporter
from shapescript_check.declarations.signatures import fn_interface
from shapescript_check.program import Program
from shapescript_check.types.values import NO_RESULT, PYTHON, ValueType
from shapescript_syntax import tree

WayToCall = tuple[Declared, FnInterface, ValueType]
"""A declaration, what it takes, and its result's type."""


def ways_to_call(
    program: Program, found: FnInterface | OverloadsInterface | GenericInterface
) -> list[WayToCall]:
    """The functions of a name that the compiled file defines.

    An `extern fn` is none of them: a call of one compiles to a call of the Python function that it names.
    """
    if isinstance(found, GenericInterface):
        return [_generic(program, found)]
    if isinstance(found, OverloadsInterface):
        versions = [(key, program.lookup(key)) for _, key in found.versions]
    else:
        versions = [(found.key, found)]
    return [
        (program.scope.functions[key], version, version.returns or program.bodies[key].body.returns)
        for key, version in versions
        if isinstance(version, FnInterface) and key in program.bodies
    ]


def _generic(program: Program, found: GenericInterface) -> WayToCall:
    """A generic function, whose type variables stand for models and data records of other files."""
    item = found.item
    variables: dict[str, Interface] = {
        name: DataInterface(name, ()) if name in _records(item) else ModelInterface(name, ())
        for name in found.variables
    }

    def lookup(name: str) -> Interface | None:
        return variables.get(name) or program.check.in_types(name)

    interface = fn_interface(item, lookup, Reporter())
    returns = interface.returns
    if returns is None:
        # Each instance has a result of its own.
        has_result = not isinstance(item.body, tuple) or _returns(item.body)
        returns = PYTHON if has_result else NO_RESULT
    return program.scope.declared[found.name], interface, returns


def _records(item: tree.Fn) -> set[str]:
    """The type variables of a function that stand for data records. Those of models are in no batch and no dataset."""
    found = set()
    for parameter in item.parameters:
        if parameter.type is None or len(parameter.type.words) != 1:
            continue
        (word,) = parameter.type.words
        if isinstance(word.argument, tree.Ident) and word.name.text not in OF_MODELS:
            found.add(word.argument.name)
        elif parameter.type.shape is not None:
            found.add(word.name.text)
    return found


def _returns(statements: tuple[tree.Stmt, ...]) -> bool:
    """Whether a body returns a value."""
    for statement in statements:
        match statement:
            case tree.Return(value=value) if value is not None:
                return True
            case tree.For(body=body) if _returns(body):
                return True
            case tree.If(body=body, orelse=orelse) if _returns(body) or _returns(orelse or ()):
                return True
    return False
