"""Nodes that are only allowed in some places: `_`, lambdas, ranges and `to T` alone.

They are parsed wherever an expression may stand, and written down as strays. Whoever knows of a place where one
is allowed takes it off the list; what is left at the end of an expression is in a wrong place. So the parser
needs no flags for what surrounds it, and downstream no rule for misplaced ones: their expression is an ErrorExpr.
"""

from __future__ import annotations

from typing import Final

from shapescript_syntax.parsing.cursor import Cursor, Stray
from shapescript_syntax.spans import Span
from shapescript_syntax.suggestions import closest
from shapescript_syntax.tree import Call, Expr, Hole, Ident, Int, Lambda, Pattern, Range, ToStage

ITERATOR_STAGES: Final = frozenset({"map", "filter", "zip", "enumerate"})
_WITH_FUNCTION: Final = frozenset({"map", "filter"})


def allow(c: Cursor, node: object) -> None:
    """Takes a node off the list: it is where it may be."""
    c.strays.pop(id(node), None)


def settle_stage(c: Cursor, stage: Expr, source: Expr | None) -> bool:
    """Allows what a stage's arguments may be: a `_`, a function of `map` or `filter`, a range before it.

    `source` is the input of a pipe's stage, and None for a call that is itself the function of `map`. False for
    a stage with two `_`, which is reported (E0205).
    """
    if not c.strays or type(stage) is not Call:
        return True
    callee = stage.callee.name if type(stage.callee) is Ident else ""
    if callee in ITERATOR_STAGES and type(source) is Range:
        allow(c, source)
    holes: list[Hole] = []
    fine = True
    for argument in stage.arguments:
        value = argument.value
        found = value.operands if type(value) is Pattern else (value,)
        for hole in (h for h in found if type(h) is Hole):
            allow(c, hole)
            holes.append(hole)
        if callee in _WITH_FUNCTION and argument.name is None:
            if type(value) in (Lambda, ToStage):
                allow(c, value)
            elif type(value) is Call:
                fine = settle_stage(c, value, None) and fine
        elif callee == "zip" and type(value) is Range:
            allow(c, value)
    if len(holes) > 1:
        c.report(
            "E0205",
            "a stage takes its input once, so it can have one `_`",
            holes[1].span,
            "the second `_`",
            help="bind the input to a name first, and use the name twice",
        )
        return False
    return fine


def report_strays(c: Cursor) -> None:
    """Reports what is left on the list, and empties it. One inside another goes with it."""
    strays = sorted(c.strays.values(), key=lambda node: node.span)
    c.strays.clear()
    within = -1
    for node in strays:
        if node.span.start >= within:
            _REPORTS[type(node)](c, node)
            within = node.span.end


def _report_hole(c: Cursor, node: Stray) -> None:
    c.report(
        "E0205",
        "`_` can only be an argument of a pipe's stage",
        node.span,
        "no input to stand for",
        help="it stands for what the pipe gives, as in `x |> sub(1.0, _)`",
    )


def _report_lambda(c: Cursor, node: Stray) -> None:
    assert isinstance(node, Lambda)
    text = c.text_of(node.span)
    shown = text if "\n" not in text and len(text) < 60 else "v => v * 2.0"
    meant = closest(_called_before(c, node.span.start), _WITH_FUNCTION)
    c.report(
        "E3202",
        "a lambda can only be the function of a `map` or `filter` stage",
        node.span,
        "lambdas aren't values",
        help=f"did you mean `{meant}`?"
        if meant
        else f"give it to a stage, as in `x |> map({shown}, over=n)`, or declare a `fn`",
    )


def _called_before(c: Cursor, start: int) -> str:
    """The name in `name(` just before a place, or nothing."""
    before = c.text[:start].rstrip()
    called = before[:-1] if before.endswith("(") else ""
    return called[len(called.rstrip("abcdefghijklmnopqrstuvwxyz")) :]


def _report_range(c: Cursor, node: Stray) -> None:
    assert isinstance(node, Range)
    text = c.text_of(node.span)
    shown = text if "\n" not in text and len(text) < 60 else "a..b"
    if isinstance(node.lo, Int) and node.lo.value == 0:
        tensor = c.text_of(Span(node.hi.span.start, node.span.end))
    else:
        tensor = shown
    c.report(
        "E3203",
        "a range can only start an iterator chain or be what a `for` loops over",
        node.span,
        "ranges aren't values",
        help=f"for a tensor of the indices, write `{tensor} |> map(i => i)`; to loop, `for i in {shown}:`",
    )


def _report_to(c: Cursor, node: Stray) -> None:
    c.report(
        "E0201",
        "expected an expression, found `to`",
        Span(node.span.start, node.span.start + 2),
        "expected a value to convert",
        help=f"write `x {c.text_of(node.span)}`, or make it a stage, as in `x |> {c.text_of(node.span)}`",
    )


_REPORTS: Final = {Hole: _report_hole, Lambda: _report_lambda, Range: _report_range, ToStage: _report_to}
