"""Independence: the function of a stage only computes a value, so that every element can be computed at once.

What it computes also has one shape for all of them, so no mask or slice in it goes by the element. Functions that it
calls are followed, with the names in them that stand for values that differ between elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.declarations.keys import shown
from shapescript_check.operations.families.training import HostOperation
from shapescript_check.operations.forms.indexing import Indices as IndexItems
from shapescript_check.operations.forms.indexing import Part, Where
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.entities import ModeType
from shapescript_check.types.values import PythonType, TensorType
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import node, replaced
from shapescript_syntax.spans import Span

DEPTH = 32

BodyOf = Callable[[str], "typed.Body | None"]


_BEFORE = "do it before or after the chain, on the whole tensor"
_ONE_SHAPE = "every element has one shape; to leave values out, replace them, as in where(mask, x, 0.0)"

Names = frozenset[str]


@node
class Found:
    """What does more than compute a value: where, what it does, and the function it is in where that is another,
    which `called` calls."""

    span: Span
    what: str
    help: str
    function: str | None = None
    called: str | None = None


def check_independence(checker: BodyChecker, body: typed.Typed, parameters: Names) -> bool:
    """Whether a stage's function only computes a value; reports E2403 at what does more."""
    found = next(_effects(checker.body_of, body, parameters, DEPTH), None)
    if found is None:
        return True
    refuse(checker, found)
    return False


def refuse(checker: BodyChecker, found: Found) -> None:
    """Reports what a stage's function does more than compute a value."""
    subject = "this" if found.called is None else f"`{shown(found.called)}`"
    checker.report(
        "E2403",
        found.span,
        f"the function of a stage only computes a value, and {subject} {found.what}",
        labels=(Label(None, f"it {found.what}", found.function),) if found.function is not None else (),
        help=found.help,
    )


def sliced_by_element(span: Span) -> Found:
    """A slice with a bound that an element decides."""
    return Found(
        span,
        "slices with a bound that differs between elements, which would have different shapes",
        _ONE_SHAPE,
    )


def only_computes(node: typed.Typed, body_of: BodyOf, differing: Names) -> bool:
    """Whether an expression only computes a value, by the rules for the function of a stage. `differing` are the names
    of what differs between elements."""
    return next(_effects(body_of, node, differing, DEPTH), None) is None


def _effects(body_of: BodyOf, node: typed.Typed, differing: Names, depth: int) -> Iterator[Found]:
    what = _effect(node)
    if what is not None:
        yield Found(node.span, what, _BEFORE)
        return
    yield from _of_many_shapes(node, differing)
    if isinstance(node, typed.CallFn) and depth > 0:
        given = frozenset(
            name for name, value in node.arguments if value is not None and mentions(value, differing)
        )
        inside = next(_in_function(body_of, node.name, given, depth - 1), None)
        if inside is not None:
            yield Found(node.span, inside.what, inside.help, inside.function or node.name, node.name)
    for part in parts_of(node):
        assert not isinstance(part, tuple)
        yield from _effects(body_of, part, differing, depth)


def _effect(node: typed.Typed) -> str | None:
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
    if isinstance(node, typed.Apply) and isinstance(node.operation, HostOperation):
        return f"calls `{node.operation.name}`"
    return None


def _of_many_shapes(node: typed.Typed, differing: Names) -> Iterator[Found]:
    """A mask or a slice whose result's size an element decides."""
    masks: list[typed.Typed] = []
    if isinstance(node, typed.Filtered):
        masks.append(node.mask)
    elif isinstance(node, typed.Apply) and isinstance(node.detail, IndexItems):
        masks += [node.operands[i.operand] for i in node.detail.items if isinstance(i, Where)]
        parts = [i for i in node.detail.items if isinstance(i, Part)]
        bounds = [b for i in parts for b in (i.lo, i.hi, i.step) if b is not None]
        if any(mentions(b, differing) for b in bounds):
            yield sliced_by_element(node.span)
    if any(mentions(m, differing) for m in masks):
        what = "chooses values by a mask that differs between elements, which would have different shapes"
        yield Found(node.span, what, _ONE_SHAPE)


def mentions(node: typed.Typed, names: Names) -> bool:
    """Whether an expression uses one of some names."""
    if not names:
        return False
    if isinstance(node, typed.Local):
        return node.name in names
    return any(mentions(p, names) for p in parts_of(node) if not isinstance(p, tuple))


# --- functions that are called -----------------------------------------------------------------------------


def _in_function(body_of: BodyOf, name: str, differing: Names, depth: int) -> Iterator[Found]:
    body = body_of(name)
    if body is not None:
        for found in _in_block(body_of, body.statements, _all_differing(body.statements, differing), depth):
            yield found if found.function is not None else replaced(found, function=name)


def _all_differing(statements: tuple[typed.Statement, ...], names: Names) -> Names:
    """The names in a block that stand for what differs between elements, at some point of it."""
    while True:
        found = names | frozenset(_bound_from(statements, names))
        if found == names:
            return names
        names = found


def _bound_from(statements: tuple[typed.Statement, ...], names: Names) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, typed.BindTo) and mentions(statement.value, names):
            yield from statement.names
        for part in parts_of(statement):
            if isinstance(part, tuple):
                yield from _bound_from(part, names)


def _in_block(
    body_of: BodyOf, statements: tuple[typed.Statement, ...], differing: Names, depth: int
) -> Iterator[Found]:
    for statement in statements:
        what = _statement_effect(statement)
        if what is not None:
            yield Found(statement.span, what, _BEFORE)
        for part in parts_of(statement):
            if isinstance(part, tuple):
                yield from _in_block(body_of, part, differing, depth)
            else:
                yield from _effects(body_of, part, differing, depth)


def _statement_effect(statement: typed.Statement) -> str | None:
    if isinstance(statement, typed.SetField):
        return "changes a model"
    if isinstance(statement, typed.BatchLoop | typed.EachLoop):
        return "loops over a dataset or a Python value"
    if isinstance(statement, typed.Branch) and isinstance(statement.condition.type, TensorType):
        return "branches on a tensor"
    return None
