"""Pipes: each stage is a call with the stage before it as an argument."""

from __future__ import annotations

from functools import partial

from shapescript_check.bodies.calls import type_call
from shapescript_check.bodies.casts import type_to
from shapescript_check.bodies.chains.functions import ELEMENT
from shapescript_check.bodies.chains.sources import element_of, start_of_chain
from shapescript_check.bodies.chains.stages import is_stage, type_stage
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.operations.parameters import Given
from shapescript_check.typed.tree import Paired, Typed
from shapescript_check.types.values import ErrorType
from shapescript_syntax import tree


def type_pipe(checker: BodyChecker, syntax: tree.Pipe) -> Typed:
    """A pipeline. Stages are typed in a loop, since a pipeline nests once for each."""
    stages: list[tree.Pipe] = []
    start: tree.Expr = syntax
    while isinstance(start, tree.Pipe):
        stages.append(start)
        start = start.input
    first = is_stage(stages[-1].stage)
    note = _element_note if isinstance(start, tree.Ident) and start.name == ELEMENT else _stage_note
    value = start_of_chain(checker, start) if first else checker.expression(start)
    for number, pipe in enumerate(reversed(stages), 1):
        if isinstance(value.type, ErrorType):
            return checker.unresolved(syntax.span)
        with checker.noting(partial(note, number, value)):
            name = is_stage(pipe.stage)
            if name is not None:
                value = type_stage(checker, pipe, name, value)
            elif isinstance(value, Paired):
                _refuse_pairs(checker, pipe.stage)
                return checker.unresolved(syntax.span)
            else:
                value = _stage(checker, pipe, value)
    if isinstance(value, Paired):
        _refuse_pairs(checker, stages[0].stage)
        return checker.unresolved(syntax.span)
    return value


def _element_note(number: int, value: Typed) -> str:
    return f"it is applied to each element, which is {value.type}"


def _stage_note(number: int, value: Typed) -> str:
    shown = str(value.type)
    if isinstance(value, Paired):
        what = "pairs" if len(value.sources) == 2 else "triples"
        shown = f"{what} of {' and '.join(str(element_of(s)) for s in value.sources)}"
    return f"in stage {number} of this pipeline, whose input is {shown}"


def _refuse_pairs(checker: BodyChecker, stage: tree.Expr) -> None:
    checker.report(
        "E3205",
        stage.span,
        "pairs are taken apart by a lambda, and nothing does here",
        help="pass them on: |> map((a, b) => ...)",
    )


def _stage(checker: BodyChecker, pipe: tree.Pipe, value: Typed) -> Typed:
    stage = pipe.stage
    if isinstance(stage, tree.ToStage):
        return type_to(checker, pipe.span, stage.span, value, stage.type)
    if isinstance(stage, tree.ErrorExpr):
        return checker.unresolved(pipe.span)
    checker.pipes[stage.span] = pipe.span
    piped = Given(value.span, None, None, value)
    call = stage if isinstance(stage, tree.Call) else tree.Call(stage.span, stage, ())
    return type_call(checker, call, piped)
