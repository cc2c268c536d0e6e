"""Pipes: each stage is a call with the stage before it as an argument."""

from __future__ import annotations

from shapescript_check.bodies.calls import type_call
from shapescript_check.bodies.casts import type_to
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import Typed
from shapescript_check.types.values import ErrorType
from shapescript_syntax import tree


def type_pipe(checker: BodyChecker, syntax: tree.Pipe) -> Typed:
    """A pipeline. Stages are typed in a loop, since a pipeline nests once for each."""
    stages: list[tree.Pipe] = []
    start: tree.Expr = syntax
    while isinstance(start, tree.Pipe):
        stages.append(start)
        start = start.input
    value = checker.expression(start)
    for number, pipe in enumerate(reversed(stages), 1):
        if isinstance(value.type, ErrorType):
            return checker.unresolved(syntax.span)
        with checker.noting(f"in stage {number} of this pipeline, whose input is {value.type}"):
            value = _stage(checker, pipe, value)
    return value


def _stage(checker: BodyChecker, pipe: tree.Pipe, value: Typed) -> Typed:
    stage = pipe.stage
    if isinstance(stage, tree.ToStage):
        return type_to(checker, pipe.span, stage.span, value, stage.type)
    if isinstance(stage, tree.ErrorExpr):
        return checker.unresolved(pipe.span)
    piped = Given(value.span, None, None, value)
    call = stage if isinstance(stage, tree.Call) else tree.Call(stage.span, stage, ())
    return type_call(checker, call, piped)
