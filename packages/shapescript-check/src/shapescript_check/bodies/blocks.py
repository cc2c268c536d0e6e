"""Types `for` and `if`: blocks are scopes of their own, and may assign values from outside."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.changes import is_mut_parameter
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.joins import join, same_kind, why_another_type, widened
from shapescript_check.bodies.scope import Scope
from shapescript_check.bodies.statements import bind_name, type_block
from shapescript_check.typed.tree import BatchLoop, Branch, CountLoop, EachLoop, Statement, Typed
from shapescript_check.types.axes import Axis
from shapescript_check.types.entities import DatasetType, RecordType
from shapescript_check.types.intervals import Interval
from shapescript_check.types.values import (
    ERROR,
    PYTHON,
    ErrorType,
    HostType,
    PythonType,
    TensorType,
    ValueType,
)
from shapescript_check.types.wording import described
from shapescript_syntax import tree
from shapescript_syntax.spans import Span

SETTLED_AFTER = 2
"""Rounds of a loop's body after which a range that still grows has its growing ends moved to infinity."""
GIVEN_UP_AFTER = 6
"""Rounds after which a domain that still changes becomes Real."""


# --- if ----------------------------------------------------------------------------------------------------


def type_if(checker: BodyChecker, syntax: tree.If) -> Statement:
    """`if condition:` with an optional `else:`."""
    condition = checker.expression(syntax.condition)
    _check_condition(checker, condition)
    before = checker.scope
    checker.scope = before.copy()
    body = type_block(checker, syntax.body)
    after_body = checker.scope
    checker.scope = before.copy()
    orelse = type_block(checker, syntax.orelse) if syntax.orelse is not None else None
    after_else = checker.scope
    checker.scope = before
    for end, block in ((after_body, syntax.body), (after_else, syntax.orelse or ())):
        _keep_types(checker, before, end, block)
    merged = Scope({}, before.axes, _fixed_after(syntax, after_body, after_else))
    for name, kind in before.values.items():
        merged.values[name] = join(after_body.values[name], after_else.values[name], kind)
    if orelse is not None:
        _bound_by_both(before, after_body, after_else, merged)
    body_ends, else_ends = _returns(syntax.body), _returns(syntax.orelse or ())
    if body_ends != else_ends:
        # Only one way leads past the `if`.
        merged.values |= {n: (after_else if body_ends else after_body).values[n] for n in before.values}
    for name, kind in (after_else.values | after_body.values).items():
        if name not in merged.values:
            other = after_else.values.get(name, kind)
            why = f"the blocks bind it as {_a(kind)} and as {_a(other)}: give them one type, or two names"
            help_text = _ENDED if name not in after_body.values or other is kind else why
            _has_ended(checker, name, (*syntax.body, *(syntax.orelse or ())), help_text)
    checker.scope = merged
    return Branch(syntax.span, syntax.header, condition, body, orelse)


_ENDED = "what a block binds ends with it: give it a value before the block, of the same type"


def _has_ended(
    checker: BodyChecker, name: str, statements: tuple[tree.Stmt, ...], help_text: str = _ENDED
) -> None:
    span = _assigned_at(statements, name)
    if span is not None:
        checker.ended[name] = (span, help_text)


def _fixed_after(syntax: tree.If, body: Scope, orelse: Scope) -> set[str]:
    """What may be a parameter without `mut` on some path that goes on after the `if`."""
    body_ends, else_ends = _returns(syntax.body), _returns(syntax.orelse or ())
    if body_ends == else_ends:
        return body.fixed | orelse.fixed
    return set(orelse.fixed if body_ends else body.fixed)


def _bound_by_both(before: Scope, body: Scope, orelse: Scope, merged: Scope) -> None:
    for name, kind in body.values.items():
        other = orelse.values.get(name)
        if name in before.values or other is None:
            continue
        if same_kind(kind, other):
            merged.values[name] = join(kind, other, kind)


def _returns(statements: tuple[tree.Stmt, ...]) -> bool:
    """Whether a block surely returns."""
    return any(returns_surely(s) for s in statements)


def returns_surely(statement: tree.Stmt) -> bool:
    """Whether a statement returns on every path: a loop may run no times, and an `if` without `else` may not run."""
    if isinstance(statement, tree.Return | tree.ErrorStmt):
        return True
    if isinstance(statement, tree.If) and statement.orelse is not None:
        return _returns(statement.body) and _returns(statement.orelse)
    return False


def _check_condition(checker: BodyChecker, condition: Typed) -> None:
    kind = condition.type
    if isinstance(kind, ErrorType | PythonType) or (isinstance(kind, HostType) and kind.kind == "bool"):
        return
    if isinstance(kind, TensorType) and kind.is_mask:
        if kind.axes == ():
            return
        checker.report(
            "E0802",
            condition.span,
            f"{kind} is neither true nor false: it has axes",
            help=f"reduce it: any({checker.text(condition.span)}) or all({checker.text(condition.span)})",
        )
        return
    help_text = None
    if isinstance(kind, HostType) or (isinstance(kind, TensorType) and kind.axes == ()):
        help_text = f"compare it with something, as in {quoting.operand(checker.text(condition.span))} > 0"
    checker.report("E0802", condition.span, f"a condition is a bool, and this is {_a(kind)}", help=help_text)


# --- for ---------------------------------------------------------------------------------------------------


def type_for(checker: BodyChecker, syntax: tree.For) -> Statement | None:
    """`for i in a..b:` and `for item in values:`."""
    iterable = syntax.iterable
    if isinstance(iterable, tree.Range):
        lo, hi = checker.expression(iterable.lo), checker.expression(iterable.hi)
        variable = _counted(checker, lo, hi)
        body = _loop_body(checker, syntax, variable)
        return CountLoop(syntax.span, syntax.header, syntax.variable.text, lo, hi, body)
    value = checker.expression(iterable)
    kind = value.type
    if isinstance(kind, DatasetType) and kind.batched:
        return _batch_loop(checker, syntax, value, kind)
    if isinstance(kind, DatasetType):
        help_text = f"cut it into batches: {checker.text(iterable.span)} |> batches(64)"
        checker.report("E0804", value.span, "a dataset is looped over a batch at a time", help=help_text)
    elif not isinstance(kind, PythonType | ErrorType):
        checker.report(
            "E0804", value.span, f"{_a(kind)} can't be looped over", help=_counting(checker, value)
        )
    item = PYTHON if isinstance(value.type, PythonType) else ERROR
    body = _loop_body(checker, syntax, item)
    return EachLoop(syntax.span, syntax.header, syntax.variable.text, value, body)


def _batch_loop(checker: BodyChecker, syntax: tree.For, value: Typed, kind: DatasetType) -> Statement:
    """A loop over batches, whose size is unknown: the last batch has the examples that are left."""
    size = checker.fresh_unknown("b")
    (symbol,) = size.symbols()
    before = checker.scope
    name = None
    if "b" not in before.axes and "b" not in before.values and checker.interface("b") is None:
        name = "b"
        checker.scope = before.copy()
        checker.scope.axes["b"] = size
    item = RecordType(kind.record, (Axis(size, name),))
    body = _loop_body(checker, syntax, item)
    checker.scope.axes = before.axes
    return BatchLoop(syntax.span, syntax.header, syntax.variable.text, value, symbol, body)


def _counting(checker: BodyChecker, value: Typed) -> str | None:
    """A loop over a range instead, to paste."""
    kind, text = value.type, checker.text(value.span)
    if isinstance(kind, HostType) and kind.kind == "int":
        return f"to count up to it, write 0..{text}"
    if isinstance(kind, TensorType) and kind.axes:
        return (
            f"loop over its positions, for i in 0..{kind.axes[0]}:, and index it, {quoting.operand(text)}[i]"
        )
    return None


def _a(kind: ValueType) -> str:
    """A kind of value with an article, where a type of a tensor needs none."""
    return str(kind) if isinstance(kind, TensorType) else described(kind)


def _counted(checker: BodyChecker, lo: Typed, hi: Typed) -> ValueType:
    ends: list[Interval] = []
    for end in (lo, hi):
        kind = end.type
        if isinstance(kind, PythonType | ErrorType):
            ends.append(Interval.REAL)
        elif isinstance(kind, HostType) and kind.kind == "int":
            ends.append(kind.interval)
        else:
            checker.report(
                "E0803",
                end.span,
                f"the ends of a range are ints, and this is {_a(kind)}",
                help="a range counts on the host, so give it an int"
                if isinstance(kind, TensorType)
                else None,
            )
            return HostType("int")
    last = ends[1].hi - 1 if ends[1].hi != float("inf") else ends[1].hi
    first = ends[0].lo
    return HostType("int", Interval(first, max(last, first), first == float("-inf"), last == float("inf")))


def _loop_body(checker: BodyChecker, syntax: tree.For, variable: ValueType) -> tuple[Statement, ...]:
    """The typed body, checked until the domains at its start hold those at its end."""
    before = checker.scope
    name = syntax.variable.text
    outer = None if is_mut_parameter(checker, name) else before.values.get(name)
    if outer is not None and not isinstance(outer, ErrorType) and not same_kind(outer, variable):
        checker.report(
            "E0801",
            syntax.variable.span,
            f"`{name}` is {_a(outer)} before the loop, and the loop's variable is {_a(variable)}",
            help="give the loop's variable another name",
        )
    start = before.copy()
    for round_number in range(GIVEN_UP_AFTER + 1):
        with checker.silently(), checker.numbering_again():
            end = _run(checker, syntax, start, variable)
        grown = _grown(before, start, end, round_number)
        if grown is None:
            break
        start = grown
    checker.scope = start.copy()
    end_scope, body = _run_for_real(checker, syntax, start, variable)
    _keep_types(checker, before, end_scope, syntax.body)
    after = Scope({}, before.axes, before.fixed | end_scope.fixed)
    for value_name, kind in start.values.items():
        changed = end_scope.values.get(value_name, kind)
        after.values[value_name] = join(kind, changed, before.values[value_name])
    for value_name in end_scope.values.keys() - after.values.keys():
        _has_ended(checker, value_name, syntax.body)
    if name not in after.values:
        checker.ended[name] = (syntax.variable.span, "a loop's variable ends with the loop")
    checker.scope = after
    return body


def _run(checker: BodyChecker, syntax: tree.For, start: Scope, variable: ValueType) -> Scope:
    checker.scope = start.copy()
    returned = len(checker.returned)
    _bind_variable(checker, syntax.variable, variable)
    type_block(checker, syntax.body)
    del checker.returned[returned:]
    return checker.scope


def _run_for_real(
    checker: BodyChecker, syntax: tree.For, start: Scope, variable: ValueType
) -> tuple[Scope, tuple[Statement, ...]]:
    _bind_variable(checker, syntax.variable, variable)
    body = type_block(checker, syntax.body)
    return checker.scope, body


def _bind_variable(checker: BodyChecker, name: tree.Name, kind: ValueType) -> None:
    bind_name(checker, name, kind)


def _grown(before: Scope, start: Scope, end: Scope, round_number: int) -> Scope | None:
    """The scope at the loop's start once more is known to reach it; None where nothing more does."""
    changed = False
    result = start.copy()
    for name in before.values:
        old, new = start.values[name], end.values.get(name)
        if new is None or new == old or not same_kind(old, new):
            continue
        joined = join(old, new, old)
        if joined == old:
            continue
        changed = True
        if round_number >= GIVEN_UP_AFTER - 1:
            joined = _given_up(joined)
        elif round_number >= SETTLED_AFTER - 1:
            joined = widened(old, joined)
        result.values[name] = joined
    result.fixed |= end.fixed & before.values.keys()
    return result if changed or result.fixed != start.fixed else None


def _given_up(kind: ValueType) -> ValueType:
    from shapescript_check.types.domains import REAL

    if isinstance(kind, TensorType) and not kind.is_mask:
        return kind.with_domain(REAL)
    return HostType(kind.kind) if isinstance(kind, HostType) else kind


# --- what a block may assign -------------------------------------------------------------------------------


def _keep_types(checker: BodyChecker, before: Scope, end: Scope, statements: tuple[tree.Stmt, ...]) -> None:
    """Reports E0801 for a value from outside that has another type after the block."""
    for name, kind in before.values.items():
        new = end.values[name]
        if new is kind or isinstance(kind, ErrorType) or isinstance(new, ErrorType) or same_kind(kind, new):
            continue
        span = _assigned_at(statements, name)
        if span is None:
            continue
        checker.report(
            "E0801",
            span,
            f"`{name}` is {_a(kind)} before this block, and {_a(new)} after it",
            notes=tuple(why_another_type(kind, new)),
            help="give the new value a name of its own",
        )
        # What it is from here on, nobody can say.
        end.values[name] = ERROR


def _assigned_at(statements: tuple[tree.Stmt, ...], name: str) -> Span | None:
    """The last place in a block, or a block in it, that binds a name."""
    found = None
    for statement in statements:
        if isinstance(statement, tree.Bind):
            found = next((n.span for n in statement.names if n.text == name), found)
        elif isinstance(statement, tree.If):
            found = _assigned_at((*statement.body, *(statement.orelse or ())), name) or found
        elif isinstance(statement, tree.For):
            found = _assigned_at(statement.body, name) or found
    return found
