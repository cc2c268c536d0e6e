"""Generates the checks of arguments that are no tensors, and makes batches and datasets of what Python gives."""

from __future__ import annotations

import ast

from shapescript_check.codegen.context import ModuleContext
from shapescript_check.codegen.names import python_name, reference
from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.lowering import constant, python
from shapescript_check.types.entities import (
    DatasetType,
    Entity,
    GradType,
    LogsType,
    ModelType,
    ModeType,
    OptimizerType,
    RecordType,
    ScheduleType,
    SinkType,
    is_entity,
)


def entity_checks(
    module: ModuleContext, interface: FnInterface, parameter: ParameterInterface, where: str
) -> list[ast.stmt]:
    """What a function does with one parameter when it starts; nothing for one that is a tensor or a number."""
    kind = parameter.type
    if not is_entity(kind):
        return []
    name = python_name(parameter.name)
    if isinstance(kind, RecordType | DatasetType):
        return [_made(kind, name, where, parameter.name, interface.name)]
    if module.options.checks == "off":
        return []
    call = _check(kind, name)
    call.args += [constant(where), constant(parameter.name), constant(interface.name)]
    statement: ast.stmt = ast.Expr(call)
    if module.options.checks == "debug":
        statement = ast.If(python("__debug__"), [statement], [])
    return [statement]


def _made(kind: RecordType | DatasetType, name: str, where: str, parameter: str, function: str) -> ast.stmt:
    record = kind.name if isinstance(kind, RecordType) else kind.record
    maker = "as_batch" if isinstance(kind, RecordType) else "as_dataset"
    call = python(
        f"_ss_rt.{maker}(x, R, w, p, f)",
        x=ast.Name(name, ast.Load()),
        R=reference(record),
        w=where,
        p=parameter,
        f=function,
    )
    statement: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], call)
    if isinstance(kind, RecordType):
        test = python("type(x) is not R", x=ast.Name(name, ast.Load()), R=reference(record))
        statement = ast.If(test, [statement], [])
    return statement


def _check(kind: Entity, name: str) -> ast.Call:
    value = ast.Name(name, ast.Load())
    match kind:
        case ModelType():
            call = python("_ss_rt.check_model(x, M)", x=value, M=reference(kind.name))
        case GradType():
            call = python("_ss_rt.check_grad(x, M)", x=value, M=reference(kind.model))
        case OptimizerType():
            call = python(
                f"_ss_rt.check_optimizer(x, _ss_rt.{kind.kind}, M)", x=value, M=reference(kind.model)
            )
        case LogsType():
            call = python("_ss_rt.check_logs(x, R)", x=value, R=reference(kind.name))
        case ModeType():
            call = python("_ss_rt.check_mode(x)", x=value)
        case ScheduleType():
            call = python("_ss_rt.check_schedule(x)", x=value)
        case SinkType():
            call = python("_ss_rt.check_sink(x)", x=value)
        case _:
            raise AssertionError(kind)
    assert isinstance(call, ast.Call)
    return call
