"""Calls of functions of the program: generic calls and elementwise calls."""

from __future__ import annotations

from shapescript_check import quoting
from shapescript_check.bodies.argument_types import (
    check_argument,
    inferred_result,
    not_a_tensor,
    type_arguments,
)
from shapescript_check.bodies.arguments import Matcher
from shapescript_check.bodies.changes import check_change
from shapescript_check.bodies.checker import BodyChecker
from shapescript_check.bodies.elementwise_calls import type_elementwise_call
from shapescript_check.bodies.entities import check_entity
from shapescript_check.bodies.fits import claim, not_equal_note
from shapescript_check.declarations.interfaces import FnInterface, ParameterInterface
from shapescript_check.operations.parameters import Given, Parameter
from shapescript_check.sizes import Equation, Failure, FailureKind, Size, Solver, Symbol, SymbolKind
from shapescript_check.typed.tree import CallFn, Typed
from shapescript_check.types.axes import Axes, Axis, shape_text
from shapescript_check.types.domains import Domain, IndexOf
from shapescript_check.types.entities import ModeType, RecordType
from shapescript_check.types.values import ErrorType, HostType, PythonType, ResultsType, TensorType, ValueType
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Label
from shapescript_syntax.records import node


def type_function_call(
    checker: BodyChecker, syntax: tree.Call, fn: FnInterface, arguments: list[Given]
) -> Typed:
    """A call of a `fn`."""
    assert isinstance(syntax.callee, tree.Ident)
    parameters = [
        Parameter(p.name, optional=p.has_default, mode=isinstance(p.type, ModeType)) for p in fn.parameters
    ]
    filled = Matcher(checker, fn.name, syntax.callee.span).match(parameters, arguments)
    values = type_arguments(checker, arguments)
    if filled is None or values is None:
        return checker.unresolved(syntax.span)
    changed = {p.name for p in fn.parameters if p.mut}
    unknown = {p.name for p in fn.parameters if isinstance(p.type, ErrorType)}
    allowed = [
        check_change(checker, fn.name, n in changed, given[0], n)
        for n, given in filled.items()
        if n not in unknown
    ]
    if not all(allowed):
        return checker.unresolved(syntax.span)
    given_values = {name: given[0].typed for name, given in filled.items()}
    pairs = [(p, given_values.get(p.name)) for p in fn.parameters]
    call = GenericCall(checker, syntax, fn)
    return type_elementwise_call(call, pairs) if fn.elementwise else call.check(pairs)


@node
class AxisOf:
    """What an equation is about: an axis of an argument."""

    parameter: ParameterInterface
    value: Typed
    axis: int


class GenericCall:
    """One call of a function with shapes: the callee's generic axes are solved from the arguments."""

    def __init__(self, checker: BodyChecker, syntax: tree.Call, fn: FnInterface) -> None:
        self.checker = checker
        self.syntax = syntax
        self.fn = fn
        self.variables = {s: Size.of(checker.fresh_variable(s.name)) for s in fn.generics}
        self.solver = Solver()
        self.names: dict[Symbol, str | None] = {}
        self.good = True

    def check(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> Typed:
        equations = self.shape_equations(pairs)
        if self.good:
            self.solve_shapes(equations, pairs)
        if self.good:
            self.solve_indices(pairs)
        if self.good:
            self.check_elements(pairs)
            self.check_determined()
        if not self.good:
            return self.checker.unresolved(self.syntax.span)
        arguments = tuple((p.name, v) for p, v in pairs)
        return CallFn(self.syntax.span, self.result(), self.fn.key, arguments, self.bindings())

    # --- shapes ---

    def shape_equations(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> list[Equation]:
        equations: list[Equation] = []
        for parameter, value in pairs:
            expected = parameter.type
            if value is None or not isinstance(expected, TensorType | RecordType) or expected.axes is None:
                continue
            if isinstance(expected, RecordType) and not self.is_record(parameter, value, expected):
                continue
            axes = self.argument_axes(parameter, value)
            if axes is None:
                continue
            if len(axes) != len(expected.axes):
                self.refuse_argument(
                    "E0403",
                    parameter,
                    value,
                    f"`{self.fn.name}` takes {shape_text(expected.axes)} as `{parameter.name}`, "
                    f"and {shape_text(axes)} has {_axes(len(axes))}",
                )
                continue
            for i, (mine, theirs) in enumerate(zip(axes, expected.axes, strict=True)):
                own = self.is_own(theirs)
                lhs = theirs.size.substitute(self.variables) if own else theirs.size
                equations.append(Equation(lhs, mine.size, AxisOf(parameter, value, i)))
                if own and theirs.name is not None and theirs.size.name == theirs.name:
                    for symbol in theirs.size.symbols():
                        if symbol.kind is SymbolKind.GENERIC:
                            self.names.setdefault(symbol, mine.name)
        return equations

    def is_record(self, parameter: ParameterInterface, value: Typed, expected: RecordType) -> bool:
        """Whether an argument is of the record, and the number of axes, that a parameter asks for."""
        what = f"`{parameter.name}` of `{self.fn.name}`"
        good = check_entity(self.checker, value, expected, what, self.declared_at(parameter))
        self.good &= good
        return good

    def is_own(self, axis: Axis) -> bool:
        """Whether an axis that a parameter is expected to have is written with the callee's sizes."""
        return True

    def argument_axes(self, parameter: ParameterInterface, value: Typed) -> Axes | None:
        kind = value.type
        if isinstance(kind, TensorType):
            if kind.axes is None:
                self.refuse_argument(
                    "E0403",
                    parameter,
                    value,
                    f"`{parameter.name}` of `{self.fn.name}` has a shape, and this value may have any",
                    help="give the parameter that it comes from a shape",
                )
            return kind.axes
        if isinstance(kind, HostType):
            return ()
        if isinstance(kind, RecordType) and isinstance(parameter.type, RecordType):
            return kind.axes
        code, message = not_a_tensor(self.fn, kind, f"`{parameter.name}` of `{self.fn.name}`")
        help_text = None
        if isinstance(kind, PythonType) and isinstance(parameter.type, TensorType):
            text = quoting.operand(self.checker.text(value.span))
            help_text = f"assert its type first, as in {text} as {parameter.type}"
        self.refuse_argument(code, parameter, value, message, help=help_text)
        return None

    def refuse_argument(
        self,
        code: str,
        parameter: ParameterInterface,
        value: Typed,
        message: str,
        notes: tuple[str, ...] = (),
        help: str | None = None,
    ) -> None:
        self.good = False
        self.checker.report(
            code, value.span, message, labels=self.declared_at(parameter), notes=notes, help=help
        )

    def declared_at(self, parameter: ParameterInterface) -> tuple[Label, ...]:
        return (Label(None, "the parameter is declared here", self.fn.key, f":{parameter.name}"),)

    def solve_shapes(
        self, equations: list[Equation], pairs: list[tuple[ParameterInterface, Typed | None]]
    ) -> None:
        known = dict(self.solver.bindings)
        failures = self.solver.solve(equations).failures
        while failures:
            first = _axis_of(failures[0].equation).parameter.name
            of_first = [f for f in failures if _axis_of(f.equation).parameter.name == first]
            self._report_failures([(_axis_of(f.equation), f) for f in of_first])
            if len(of_first) == len(failures):
                break
            # What this argument said of sizes may be all that is wrong with the others.
            equations = [e for e in equations if _axis_of(e).parameter.name != first]
            failures = Solver(known).solve(equations).failures

    def _report_failures(self, failures: list[tuple[AxisOf, Failure]]) -> None:
        """One diagnostic for an argument, with a note for each of its axes that fails."""
        first, failure = failures[0]
        parameter, value = first.parameter, first.value
        assert isinstance(parameter.type, TensorType | RecordType) and parameter.type.axes is not None
        kind = value.type
        shown = shape_text(kind.axes) if isinstance(kind, TensorType | RecordType) else str(kind)
        self.refuse_argument(
            failure.kind.value,
            parameter,
            value,
            f"`{self.fn.name}` can't take {shown} as `{parameter.name}`, which is {shape_text(parameter.type.axes)}",
            tuple(_why(tag.axis, parameter.type.axes[tag.axis], f) for tag, f in failures),
            claim(f for _, f in failures) if isinstance(kind, TensorType) else None,
        )

    def solve_indices(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> None:
        for parameter, value in pairs:
            expected = parameter.type
            if (
                value is None
                or not isinstance(expected, TensorType)
                or not isinstance(value.type, TensorType)
            ):
                continue
            mine, theirs = value.type.domain, expected.domain
            if not (isinstance(mine, IndexOf) and isinstance(theirs, IndexOf)):
                continue
            equation = Equation(theirs.size.substitute(self.variables), mine.size)
            if self.solver.solve([equation]).failures:
                self.refuse_argument(
                    "E0507",
                    parameter,
                    value,
                    f"`{parameter.name}` of `{self.fn.name}` holds indices below "
                    f"{self.size(theirs.size).text_with_value()}, and these are below {mine.size.text_with_value()}",
                )

    def size(self, size: Size) -> Size:
        """A size of the callee's signature as the caller sees it."""
        return self.solver.resolve(size.substitute(self.variables))

    def bindings(self) -> dict[Symbol, Size]:
        """The size that each generic one of the callee has in this call."""
        return {s: self.size(Size.of(s)) for s in self.fn.generics}

    def check_determined(self) -> None:
        """Reports generic sizes that no argument says, such as the V of a plain integer where Index[V] is meant."""
        open_sizes = [s.name for s in self.fn.generics if _has_variable(self.size(Size.of(s)))]
        if open_sizes and self.good:
            self.good = False
            self.checker.report(
                "E0409",
                self.syntax.callee.span,
                f"no argument of `{self.fn.name}` says what its size `{open_sizes[0]}` is",
            )

    # --- elements ---

    def check_elements(self, pairs: list[tuple[ParameterInterface, Typed | None]]) -> None:
        for parameter, value in pairs:
            if value is not None:
                self.good &= check_argument(
                    self.checker,
                    self.fn,
                    parameter,
                    value,
                    self.domain(parameter),
                    self.declared_at(parameter),
                )

    def domain(self, parameter: ParameterInterface) -> Domain | None:
        kind = parameter.type
        if not isinstance(kind, TensorType):
            return None
        return self.placed_domain(kind.domain)

    def placed_domain(self, domain: Domain) -> Domain:
        return IndexOf(self.size(domain.size)) if isinstance(domain, IndexOf) else domain

    # --- the result ---

    def result(self) -> ValueType:
        returns = self.fn.returns
        if returns is None:
            returns = inferred_result(self.checker, self.syntax, self.fn)
        unknowns: dict[Symbol, Size] = {}
        return self.instantiate(returns, unknowns)

    def instantiate(self, kind: ValueType, unknowns: dict[Symbol, Size]) -> ValueType:
        if isinstance(kind, ResultsType):
            return ResultsType(tuple(self.instantiate(i, unknowns) for i in kind.items))
        if isinstance(kind, HostType) and kind.size is not None:
            return HostType(kind.kind, kind.interval, self.known_size(kind.size))
        if not isinstance(kind, TensorType | RecordType) or kind.axes is None:
            return kind
        axes = tuple(self.result_axis(a, unknowns) for a in kind.axes)
        if isinstance(kind, RecordType):
            return RecordType(kind.name, axes)
        domain = kind.domain
        if isinstance(domain, IndexOf):
            domain = IndexOf(self.result_size(domain.size, unknowns))
        return TensorType(axes, kind.dtype, domain)

    def result_size(self, size: Size, unknowns: dict[Symbol, Size]) -> Size:
        for symbol in size.symbols():
            if symbol.kind is SymbolKind.UNKNOWN and symbol not in unknowns:
                unknowns[symbol] = self.checker.fresh_unknown(symbol.name.rstrip("0123456789") or symbol.name)
        return self.size(size.substitute(unknowns))

    def known_size(self, size: Size) -> Size | None:
        """A size that the callee returns as a number; None where only the callee knows it."""
        if any(s.kind is SymbolKind.UNKNOWN for s in size.symbols()):
            return None
        return self.size(size)

    def result_axis(self, axis: Axis, unknowns: dict[Symbol, Size]) -> Axis:
        size = self.result_size(axis.size, unknowns)
        parts = tuple(self.result_axis(p, unknowns) for p in axis.parts)
        return Axis(size, self.result_name(axis), parts)

    def result_name(self, axis: Axis) -> str | None:
        if axis.name is None:
            return None
        for symbol in axis.size.symbols():
            if symbol.kind is SymbolKind.GENERIC and symbol.name == axis.name:
                return self.names.get(symbol)
        return axis.name if axis.size.name == axis.name else None


def _axis_of(equation: Equation) -> AxisOf:
    assert isinstance(equation.tag, AxisOf)
    return equation.tag


def _why(axis: int, written: Axis, failure: Failure) -> str:
    """Why an argument's axis can't be its parameter's."""
    mine = failure.equation.rhs
    if failure.kind is FailureKind.MISMATCH and not _has_variable(failure.lhs):
        note = not_equal_note(mine, failure.lhs, axis)
        same = str(written).replace(" ", "") == str(failure.lhs).replace(" ", "")
        return note if same else f"{note} ({written})"
    if failure.kind is FailureKind.UNDETERMINED:
        open_sizes = failure.lhs.variables | failure.rhs.variables
        if len(open_sizes) == 1:
            return f"axis {axis + 1}: {written} = {mine.text_with_value()} can't be solved for {next(iter(open_sizes))}"
        return f"axis {axis + 1}: {written} has more than one size that nothing determines"
    return f"axis {axis + 1}: {written} is {mine.text_with_value()}, but {failure.detail}"


def _has_variable(size: Size) -> bool:
    return any(s.kind is SymbolKind.VARIABLE for s in size.symbols())


def _axes(n: int) -> str:
    return "no axes" if n == 0 else "1 axis" if n == 1 else f"{n} axes"
