"""Loops over an axis that add up terms, none of which needs another (H2401)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapescript_check import operations
from shapescript_check.bodies.chains.independence import only_computes
from shapescript_check.operations.forms.indexing import At
from shapescript_check.operations.forms.indexing import Indices as IndexItems
from shapescript_check.typed import tree as typed
from shapescript_check.typed.walk import parts_of
from shapescript_check.types.values import TensorType
from shapescript_syntax.diagnostics import Diagnostic

BodyOf = Callable[[str], "typed.Body | None"]


def independent_loop_hints(body: typed.Body, text: str, body_of: BodyOf) -> Iterator[Diagnostic]:
    """The loops of a function that a chain could compute at once.

    Arguments:
        body: the function's typed body.
        text: the text that its spans are in.
        body_of: gives the bodies of the functions that it calls.
    """
    for loop in _loops(body.statements):
        sums = _sums(loop, body_of)
        if sums is not None:
            yield _hint(loop, sums, text)


def _loops(statements: tuple[typed.Statement, ...]) -> Iterator[typed.CountLoop]:
    for statement in statements:
        if isinstance(statement, typed.CountLoop):
            yield statement
        for part in parts_of(statement):
            if isinstance(part, tuple):
                yield from _loops(part)


def _sums(loop: typed.CountLoop, body_of: BodyOf) -> list[tuple[str, typed.Typed]] | None:
    """The names that a loop adds to, each with a term; None if its iterations may depend on each other."""
    if not (
        isinstance(loop.lo, typed.Literal) and loop.lo.value == 0 and isinstance(loop.hi, typed.SizeValue)
    ):
        return None
    if loop.hi.size.name is None:
        return None
    sums: list[tuple[str, typed.Typed]] = []
    values: list[typed.Typed] = []
    inside: set[str] = set()
    for statement in loop.body:
        if not isinstance(statement, typed.BindTo) or len(statement.names) != 1:
            return None
        name = statement.names[0]
        term = _term(statement)
        if term is None:
            inside.add(name)
        else:
            sums.append((name, term))
        values.append(statement.value if term is None else term)
    carried = {name for name, _ in sums} | {loop.name}
    differing = frozenset({loop.name, *inside})
    for statement, value in zip(loop.body, values, strict=True):
        # What is bound later in the iteration would be read from the one before.
        if not only_computes(value, body_of, differing) or _reads(value, carried | inside, loop.name):
            return None
        assert isinstance(statement, typed.BindTo)
        inside.discard(statement.names[0])
    return sums or None


def _term(statement: typed.BindTo) -> typed.Typed | None:
    """`e` of `acc = acc + e` or `acc = e + acc`."""
    value, (name,) = statement.value, statement.names
    if not isinstance(value, typed.Apply) or value.operation is not operations.operator("add"):
        return None
    left, right = value.operands
    for acc, term in ((left, right), (right, left)):
        if isinstance(acc, typed.Local) and acc.name == name and isinstance(term.type, TensorType):
            return term
    return None


def _reads(node: typed.Typed, names: set[str], index: str) -> bool:
    """Whether a value reads any of some names, but for the loop's variable as an index."""
    if isinstance(node, typed.Local):
        return node.name in names
    if isinstance(node, typed.Apply) and isinstance(node.detail, IndexItems):
        items = [i for i in node.detail.items if not (isinstance(i, At) and _is_local(i.index, index))]
        if any(_reads(part, names, index) for item in items for part in _parts_of_item(item)):
            return True
        return any(_reads(operand, names, index) for operand in node.operands)
    return any(_reads(part, names, index) for part in parts_of(node) if not isinstance(part, tuple))


def _is_local(node: typed.Typed, name: str) -> bool:
    return isinstance(node, typed.Local) and node.name == name


def _parts_of_item(item: object) -> list[typed.Typed]:
    parts = [getattr(item, name, None) for name in ("index", "lo", "hi", "step")]
    return [part for part in parts if part is not None]


def _hint(loop: typed.CountLoop, sums: list[tuple[str, typed.Typed]], text: str) -> Diagnostic:
    axis = loop.hi.span
    n = text[axis.start : axis.end]
    name, term = sums[0]
    shown = _written(term, text) if len(loop.body) == 1 else "..."
    return Diagnostic(
        "H2401",
        f"no iteration of this loop needs another, so all {n} of them can be computed at once",
        loop.header,
        "",
        help=f"write {name} = {name} + ({n} |> map({loop.name} => {shown}) |> sum(over={n}))",
    )


def _written(term: typed.Typed, text: str) -> str:
    """How a term is written, from what its pipe starts with on; `...` where its brackets are around more than that."""
    spans = [term.span]
    waiting = [term]
    while waiting:
        parts = [p for p in parts_of(waiting.pop()) if not isinstance(p, tuple)]
        spans += [p.span for p in parts]
        waiting += parts
    start, end = min(s.start for s in spans), max(s.end for s in spans)
    shown = " ".join(text[start:end].split())
    return shown if all(shown.count(a) == shown.count(b) for a, b in ("()", "[]")) else "..."
