"""Functions that are several: instances of generic functions, and those that pick one by a model's class."""

from __future__ import annotations

import ast

from shapescript_check.codegen.context import ModuleContext
from shapescript_check.codegen.functions import FunctionWriter
from shapescript_check.codegen.names import function_name, python_name, reference
from shapescript_check.declarations import keys
from shapescript_check.declarations.interfaces import FnInterface, GenericInterface, OverloadsInterface
from shapescript_check.operations.lowering import python
from shapescript_check.program import Program
from shapescript_check.types.entities import (
    DatasetType,
    GradType,
    ModelType,
    OptimizerType,
    RecordType,
)


def instances(module: ModuleContext) -> list[ast.stmt]:
    """The `def` of each instance that the file calls, whose lines are those of the generic function's file."""
    statements: list[ast.stmt] = []
    for instance in module.program.instances:
        interface = module.program.lookup(instance.key)
        assert isinstance(interface, FnInterface)
        checked = module.program.check.body(instance.key)
        writer = FunctionWriter(module, instance.declared, interface, checked.body, instance.source)
        statements += writer.write()
    return statements


def files_of_functions(program: Program) -> dict[str, str]:
    """The file that the code of each instance is from, by the name of its `def`."""
    return {function_name(i.key): i.source.path for i in program.instances}


def by_model(module: ModuleContext) -> list[ast.stmt]:
    """What Python calls for overloaded and generic functions, which call the one for their argument's class."""
    statements: list[ast.stmt] = []
    for name, interface in module.program.interfaces.items():
        target = ast.Name(python_name(name), ast.Store())
        if isinstance(interface, OverloadsInterface):
            pairs = [
                ast.Tuple([reference(model), reference(key)], ast.Load()) for model, key in interface.versions
            ]
            made = python("_ss_rt.overloads(n, v)", n=name, v=ast.Tuple([*pairs], ast.Load()))
            statements.append(ast.Assign([target], made))
        elif isinstance(interface, GenericInterface):
            statements.append(ast.Assign([target], python("_ss_rt.generic(n)", n=name)))
    for instance in module.program.instances:
        found = module.program.lookup(instance.key)
        assert isinstance(found, FnInterface)
        generic, _ = keys.instance_parts(instance.key)
        told = python("f.add(k, i)", f=reference(generic), k=_told_by(found), i=reference(instance.key))
        statements.append(ast.Expr(told))
    return statements


def _told_by(instance: FnInterface) -> ast.Dict:
    """What tells an instance from others: the parameters whose arguments have, or belong to, a model's or a record's
    class, each with that class."""
    found: dict[str, str] = {}
    for parameter in instance.parameters:
        match parameter.type:
            case ModelType(name=name) | RecordType(name=name):
                found[parameter.name] = name
            case GradType(model=name) | OptimizerType(model=name) | DatasetType(record=name):
                found[parameter.name] = name
    names: list[ast.expr | None] = [ast.Constant(python_name(name)) for name in found]
    return ast.Dict(names, [reference(kind) for kind in found.values()])
