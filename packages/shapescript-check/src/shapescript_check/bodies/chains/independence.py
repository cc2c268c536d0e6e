"""Independence: the function of a stage only computes a value, so that every element can be computed at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.keys import shown
from shapescript_check.operations.families.training import HostOperation
from shapescript_check.operations.forms.indexing import Indices as IndexItems
from shapescript_check.operations.forms.indexing import Part
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.entities import ModeType
from shapescript_check.types.values import PythonType, TensorType
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import node
from shapescript_syntax.spans import Span

DEPTH = 32

BodyOf = Callable[[str], "typed.Body | None"]


@node
class Found:
    """What does more than compute a value: where, what it does, and the function it is in where that is another."""

    span: Span
    what: str
    function: str | None = None


def check_independence(checker: BodyChecker, body: typed.Typed, parameters: frozenset[str]) -> bool:
    """Whether a stage's function only computes a value; reports E2403 at what does more."""
    found = next(_effects(checker.body_of, body, parameters, DEPTH), None)
    if found is None:
        return True
    subject = "this" if found.function is None else f"`{shown(found.function)}`"
    checker.report(
        "E2403",
        found.span,
        f"the function of a stage only computes a value, and {subject} {found.what}",
        labels=(Label(None, f"it {found.what}", found.function),) if found.function is not None else (),
        help="do it before or after the chain, on the whole tensor",
    )
    return False


def only_computes(node: typed.Typed, body_of: BodyOf) -> bool:
    """Whether an expression only computes a value, by the rules for the function of a stage."""
    return next(_effects(body_of, node, frozenset(), DEPTH), None) is None


def _effects(body_of: BodyOf, node: typed.Typed, parameters: frozenset[str], depth: int) -> Iterator[Found]:
    what = _effect(node, parameters)
    if what is not None:
        yield Found(node.span, what)
        return
    if isinstance(node, typed.CallFn):
        inside = next(_in_function(body_of, node.name, depth - 1), None)
        if inside is not None:
            yield Found(node.span, inside, node.name)
    for part in parts_of(node):
        assert not isinstance(part, tuple)
        yield from _effects(body_of, part, parameters, depth)


def _effect(node: typed.Typed, parameters: frozenset[str]) -> str | None:
    if isinstance(node, typed.PythonAttribute | typed.PythonCall | typed.PythonIndex):
        return "uses Python"
    if isinstance(node, typed.Local) and isinstance(node.type, PythonType):
        return "uses a Python value"
    if isinstance(node, typed.CallExtern):
        module = node.path.split(".")[0]
        return None if module in ("torch", "math", "shapescript_runtime") else f"calls Python's {node.path}"
    if isinstance(node, typed.Local | typed.MakeMode) and isinstance(node.type, ModeType):
        return "passes a mode on, whose random numbers every element would share"
    if isinstance(node, typed.MakeModel):
        return "makes a model"
    if isinstance(node, typed.MakeLogs | typed.SinkCall):
        return "makes or writes a logs record"
    if isinstance(node, typed.Apply):
        if isinstance(node.operation, HostOperation):
            return f"is a call of `{node.operation.name}`"
        if isinstance(node.detail, IndexItems) and _bounds_use(node.detail, parameters):
            return "slices with a bound that differs between elements, which would have different shapes"
    return None


def _bounds_use(indices: IndexItems, parameters: frozenset[str]) -> bool:
    bounds = [b for i in indices.items if isinstance(i, Part) for b in (i.lo, i.hi, i.step) if b is not None]
    return any(_mentions(b, parameters) for b in bounds)


def _mentions(node: typed.Typed, names: frozenset[str]) -> bool:
    if isinstance(node, typed.Local):
        return node.name in names
    return any(_mentions(p, names) for p in parts_of(node) if not isinstance(p, tuple))


def _in_function(body_of: BodyOf, name: str, depth: int) -> Iterator[str]:
    body = body_of(name) if depth > 0 else None
    if body is not None:
        yield from _in_block(body_of, body.statements, depth)


def _in_block(body_of: BodyOf, statements: tuple[typed.Statement, ...], depth: int) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, typed.SetField):
            yield "changes a model"
        elif isinstance(statement, typed.BatchLoop | typed.EachLoop):
            yield "loops over a dataset or a Python value"
        elif isinstance(statement, typed.Branch) and isinstance(statement.condition.type, TensorType):
            yield "branches on a tensor"
        for part in parts_of(statement):
            if isinstance(part, tuple):
                yield from _in_block(body_of, part, depth)
            else:
                yield from (f.what for f in _effects(body_of, part, frozenset(), depth))
