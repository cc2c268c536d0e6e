"""The stages `map`, `filter`, `zip` and `enumerate`."""

from __future__ import annotations

from shapescript_check.bodies.chains.functions import StageFunction, stage_function
from shapescript_check.bodies.chains.sources import axis_of, indices, iterated, start_of_chain
from shapescript_check.bodies.chains.whole import whole_body
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.fits import not_equal_note
from shapescript_check.operations.call import HOST_DTYPES
from shapescript_check.typed.tree import Filtered, Iterated, Mapped, Paired, Typed
from shapescript_check.types.axes import Axis, position
from shapescript_check.types.domains import MASK, Domain, Semantic, is_mask
from shapescript_check.types.dtypes import DType
from shapescript_check.types.values import ErrorType, HostType, ResultsType, TensorType
from shapescript_syntax import tree
from shapescript_syntax.spans import Span

_TAKES = {
    "map": "one function",
    "filter": "one function",
    "zip": "one other iteration",
    "enumerate": "no function",
}
STAGES = frozenset(_TAKES)


def is_stage(stage: tree.Expr) -> str | None:
    """The name of the iterator stage that a pipe's stage is, if it is one."""
    callee = stage.callee if isinstance(stage, tree.Call) else stage
    return callee.name if isinstance(callee, tree.Ident) and callee.name in STAGES else None


def type_stage(checker: BodyChecker, pipe: tree.Pipe, name: str, value: Typed) -> Typed:
    """One stage, given what comes before it."""
    stage = pipe.stage
    arguments = _Arguments(checker, name, stage)
    if isinstance(value.type, ErrorType) or not arguments.good:
        return checker.unresolved(pipe.span)
    sources = _sources(checker, value, arguments, stage.span, name)
    if sources is None:
        return checker.unresolved(pipe.span)
    if name == "zip":
        return _zip(checker, pipe, sources, arguments)
    if name == "enumerate":
        return _enumerate(checker, pipe, sources)
    function = stage_function(checker, name, arguments.function, sources)
    if function is None:
        return checker.unresolved(pipe.span)
    return (
        _map(checker, pipe, sources, function) if name == "map" else _filter(checker, pipe, sources, function)
    )


class _Arguments:
    """The arguments of a stage: a function or another iteration, and `over=`."""

    def __init__(self, checker: BodyChecker, name: str, stage: tree.Expr) -> None:
        self.function: tree.Expr | None = None
        self.over: tree.Ident | None = None
        self.good = True
        given = stage.arguments if isinstance(stage, tree.Call) else ()
        for argument in given:
            value = argument.value
            if argument.name is not None and argument.name.text == "over":
                if not isinstance(value, tree.Ident):
                    self._report(
                        checker, "E0406", argument.span, "`over=` takes the name of an axis", "as in over=n"
                    )
                else:
                    self.over = value
            elif argument.name is not None:
                self._report(
                    checker, "E3204", argument.span, f"`{name}` has no parameter `{argument.name.text}`"
                )
            elif isinstance(value, tree.ErrorExpr):
                self.good = False
            elif isinstance(value, tree.Pattern | tree.ShapeExpr) or self.function is not None:
                what = (
                    "one function"
                    if name in ("map", "filter")
                    else "one other iteration"
                    if name == "zip"
                    else "no function"
                )
                self._report(checker, "E3204", argument.span, f"`{name}` takes {what}")
            else:
                self.function = value
        if self.good and name == "enumerate" and self.function is not None:
            self._report(
                checker,
                "E3204",
                self.function.span,
                "`enumerate` takes no function",
                "pass its pairs on: |> map((i, x) => ...)",
            )
        if self.good and name != "enumerate" and self.function is None:
            what = "another iteration" if name == "zip" else "a function"
            example = "zip(y)" if name == "zip" else f"{name}(x => ...)"
            self._report(checker, "E3204", stage.span, f"`{name}` needs {what}", f"write {example}")

    def _report(
        self, checker: BodyChecker, code: str, span: Span, message: str, help: str | None = None
    ) -> None:
        self.good = False
        checker.report(code, span, message, help=help)


def _sources(
    checker: BodyChecker, value: Typed, arguments: _Arguments, at: Span, name: str
) -> tuple[Iterated, ...] | None:
    if isinstance(value, Paired):
        if arguments.over is not None:
            checker.report("E0406", arguments.over.span, "the axis that pairs iterate is decided already")
            return None
        return value.sources
    source = iterated(checker, value, arguments.over, at, name)
    return (source,) if source is not None else None


# --- map and filter ----------------------------------------------------------------------------------------


def _map(
    checker: BodyChecker, pipe: tree.Pipe, sources: tuple[Iterated, ...], function: StageFunction
) -> Typed:
    kind = function.body.type
    if isinstance(kind, HostType):
        dtype = HOST_DTYPES[kind.kind]
        domain: Domain = MASK if kind.kind == "bool" else function.host_domain(kind)
        kind = TensorType((), dtype, domain)
    if not isinstance(kind, TensorType) or kind.axes is None:
        if not isinstance(kind, ErrorType):
            checker.report("E2403", function.body.span, f"`map` gives a tensor, and this is {kind}")
        return checker.unresolved(pipe.span)
    domain = kind.domain
    if isinstance(domain, Semantic):
        domain = Semantic(domain.kind, domain.over + 1)
    result = TensorType((axis_of(sources[0]), *kind.axes), kind.dtype, domain)
    whole = whole_body(checker, sources, function)
    return Mapped(pipe.span, pipe.stage.span, result, sources, function.names, function.body, whole)


def _filter(
    checker: BodyChecker, pipe: tree.Pipe, sources: tuple[Iterated, ...], function: StageFunction
) -> Typed:
    kind = function.body.type
    good = isinstance(kind, HostType) and kind.kind == "bool"
    if isinstance(kind, TensorType) and is_mask(kind.domain) and kind.axes == ():
        good = True
    if not good:
        if not isinstance(kind, ErrorType):
            checker.report(
                "E0501",
                function.body.span,
                f"the function of `filter` says which elements to keep, with a [] Mask, and this is {kind}",
                help="reduce it, with any or all"
                if isinstance(kind, TensorType) and kind.is_mask
                else "compare it",
            )
        return checker.unresolved(pipe.span)
    over = axis_of(sources[0])
    mask = Mapped(
        pipe.span,
        pipe.stage.span,
        TensorType((over,), DType.BOOL, MASK),
        sources,
        function.names,
        function.body,
        whole_body(checker, sources, function),
    )
    kept = Axis(checker.fresh_unknown("k"))
    filtered = tuple(Iterated(Filtered(pipe.span, _kept(s, kept), s, mask), 0) for s in sources)
    if len(filtered) == 1:
        value = filtered[0].value
        return Mapped(pipe.span, pipe.stage.span, value.type, filtered, ("_",), value, value)
    return _paired(pipe.span, filtered)


def _kept(source: Iterated, axis: Axis) -> TensorType:
    from shapescript_check.bodies.chains.sources import element_of

    kind = element_of(source)
    domain = kind.domain
    if isinstance(domain, Semantic):
        domain = Semantic(domain.kind, domain.over + 1)
    return TensorType((axis, *(kind.axes or ())), kind.dtype, domain)


# --- pairs -------------------------------------------------------------------------------------------------


def _zip(
    checker: BodyChecker, pipe: tree.Pipe, sources: tuple[Iterated, ...], arguments: _Arguments
) -> Typed:
    assert arguments.function is not None
    other = start_of_chain(checker, arguments.function)
    if isinstance(other.type, ErrorType):
        return checker.unresolved(pipe.span)
    if isinstance(other, Paired):
        checker.report(
            "E3205", other.span, "pairs can't be zipped as they are", help="zip one iteration after another"
        )
        return checker.unresolved(pipe.span)
    mine = axis_of(sources[0])
    over: tree.Ident | None = None
    kind = other.type
    if over is None and isinstance(kind, TensorType) and kind.axes is not None and len(kind.axes) > 1:
        if (
            not isinstance(other, Mapped)
            and mine.name is not None
            and position(kind.axes, mine.name) is not None
        ):
            over = tree.Ident(other.span, mine.name)
    source = iterated(checker, other, over, arguments.function.span, "zip")
    if source is None:
        return checker.unresolved(pipe.span)
    theirs = axis_of(source)
    if not mine.size.same(theirs.size):
        checker.report(
            "E0401",
            arguments.function.span,
            "iterations that are zipped have one size",
            notes=(not_equal_note(theirs.size, mine.size, source.axis),),
        )
        return checker.unresolved(pipe.span)
    if len(sources) + 1 > 3:
        checker.report("E3205", pipe.stage.span, "at most three iterations can be zipped")
        return checker.unresolved(pipe.span)
    return _paired(pipe.span, (*sources, source))


def _enumerate(checker: BodyChecker, pipe: tree.Pipe, sources: tuple[Iterated, ...]) -> Typed:
    if len(sources) > 1:
        checker.report(
            "E3205",
            pipe.stage.span,
            "`enumerate` takes one element, not pairs",
            help="enumerate first, and zip after",
        )
        return checker.unresolved(pipe.span)
    over = axis_of(sources[0])
    counted = indices(pipe.span, over.size)
    return _paired(pipe.span, (Iterated(counted, 0), *sources))


def _paired(span: Span, sources: tuple[Iterated, ...]) -> Paired:
    return Paired(span, ResultsType(tuple(s.value.type for s in sources)), sources)
