"""Solves equations between sizes for the variables in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from shapescript_check.sizes.polynomial import Monomial, Size, SizeTooLarge
from shapescript_check.sizes.symbols import Symbol
from shapescript_syntax.records import value


class FailureKind(Enum):
    """Why an equation fails; the value is the diagnostic's code."""

    MISMATCH = "E0401"
    """The sides differ, are not provably equal, or a variable would be below 1."""
    INDIVISIBLE = "E0402"
    """The division that would solve it is not exact."""
    UNDETERMINED = "E0409"
    """It has variables that no equation determines."""
    TOO_LARGE = "E0414"
    """A step does not fit in 128 bits."""


@value
class Equation:
    """The fact that two sizes are equal. `tag` is the caller's, to find what a failure is about."""

    lhs: Size
    rhs: Size
    tag: object = None


@value
class Failure:
    """An equation that does not hold, its sides as far as they were solved, and why in a few words."""

    equation: Equation
    kind: FailureKind
    lhs: Size
    rhs: Size
    detail: str


@value
class Solution:
    """What a set of equations says.

    Attributes:
        bindings: the size of each variable solved so far, free of solved variables itself.
        failures: at most one for each equation, in the order of the equations.
        unsolved: the variables of these equations that have no binding.
    """

    bindings: dict[Symbol, Size]
    failures: list[Failure]
    unsolved: frozenset[Symbol]


def solve(equations: Iterable[Equation]) -> Solution:
    """Solves a set of equations on its own; see `Solver.solve`."""
    return Solver().solve(equations)


class Solver:
    """Variables and what is known of them, over one or more rounds of equations."""

    __slots__ = ("bindings",)

    def __init__(self, bindings: Mapping[Symbol, Size] | None = None) -> None:
        self.bindings: dict[Symbol, Size] = dict(bindings or {})

    def resolve(self, size: Size) -> Size:
        """The size with each solved variable replaced.

        Raises:
            SizeTooLarge: the result does not fit in 128 bits.
        """
        return size.substitute(self.bindings) if size.variables else size

    def solve(self, equations: Iterable[Equation]) -> Solution:
        """Works out what the equations determine, and binds it.

        An equation with one unsolved variable, not squared, gives that variable; going round, each binding
        may leave another equation with one. Equations whose variables stay unsolved only because another
        equation failed are passed over.

        Returns:
            All bindings so far, and the equations that fail.
        """
        pending = list(enumerate(equations))
        failures: dict[int, Failure] = {}
        suspect: set[Symbol] = set()
        progress = True
        while progress and pending:
            progress = False
            left: list[tuple[int, Equation]] = []
            for index, equation in pending:
                outcome = self._step(equation)
                if outcome is False:
                    left.append((index, equation))
                    continue
                progress = True
                if isinstance(outcome, Failure):
                    failures[index] = outcome
                    suspect |= outcome.lhs.variables | outcome.rhs.variables
            pending = left
        unsolved = set(suspect)
        for index, equation in pending:
            lhs, rhs = self.resolve(equation.lhs), self.resolve(equation.rhs)
            open_variables = (lhs - rhs).value.variables
            if not open_variables & suspect:
                detail = _undetermined(open_variables)
                failures[index] = Failure(equation, FailureKind.UNDETERMINED, lhs, rhs, detail)
                suspect |= open_variables
            unsolved |= open_variables
        return Solution(
            self.bindings,
            [failures[index] for index in sorted(failures)],
            frozenset(unsolved - self.bindings.keys()),
        )

    def _step(self, equation: Equation) -> Failure | bool:
        """Settles one equation: whether it could, or how it fails."""
        lhs, rhs = equation.lhs, equation.rhs
        try:
            lhs, rhs = self.resolve(lhs), self.resolve(rhs)
            if rhs.variables:
                alone = None
            elif lhs.variables:
                alone = _alone(lhs)
            else:
                return lhs.same(rhs) or Failure(equation, FailureKind.MISMATCH, lhs, rhs, _mismatch(lhs, rhs))
            if alone is not None:
                # Most equations are a new name against an axis, and need no algebra.
                return self._bind(alone, rhs, equation, lhs, rhs)
            return self._solve_for_one(equation, lhs, rhs)
        except SizeTooLarge:
            return Failure(equation, FailureKind.TOO_LARGE, lhs, rhs, "a step does not fit in 128 bits")

    def _solve_for_one(self, equation: Equation, lhs: Size, rhs: Size) -> Failure | bool:
        difference = lhs - rhs
        variables = difference.value.variables
        if len(variables) > 1:
            return False
        if not variables:
            return difference.as_int() == 0 or Failure(
                equation, FailureKind.MISMATCH, lhs, rhs, _mismatch(lhs, rhs)
            )
        (variable,) = variables
        isolated = _isolate(variable, difference)
        if isolated is None:
            return False
        factor, rest = isolated
        value = Size.divide(-rest, factor)
        if value is None:
            detail = f"{(-rest).text_with_value()} is not divisible by {factor.text_with_value()}"
            return Failure(equation, FailureKind.INDIVISIBLE, lhs, rhs, detail)
        return self._bind(variable, value, equation, lhs, rhs)

    def _bind(
        self, variable: Symbol, value: Size, equation: Equation, lhs: Size, rhs: Size
    ) -> Failure | bool:
        if _surely_below_one(value):
            detail = f"{variable} would be {value.text_with_value()}, and a size is at least 1"
            return Failure(equation, FailureKind.MISMATCH, lhs, rhs, detail)
        for other, bound in self.bindings.items():
            if variable in bound.variables:
                self.bindings[other] = bound.substitute({variable: value})
        self.bindings[variable] = value
        return True


def _alone(size: Size) -> Symbol | None:
    """The variable that the size is exactly, if it is one."""
    (monomial, factor) = size.terms[0]
    return monomial[0] if len(size.terms) == 1 and len(monomial) == 1 and factor == 1 else None


def _surely_below_one(size: Size) -> bool:
    number = size.as_int()
    if number is not None:
        return number < 1
    return any(factor < 0 for _, factor in size.terms) and Size.number(0).surely_at_least(size)


def _isolate(variable: Symbol, size: Size) -> tuple[Size, Size] | None:
    """The factor and the rest in `size = variable * factor + rest`, or None where the variable is squared.

    Dims stay symbols where they can, so that a variable is bound to `3*D` rather than 2304.
    """
    for form in (size, size.value):
        if form.variables == {variable}:
            split = _split(variable, form)
            if split is not None:
                return split
    return None


def _split(variable: Symbol, size: Size) -> tuple[Size, Size] | None:
    factor, rest = Size.number(0), Size.number(0)
    for monomial, number in size.terms:
        count = monomial.count(variable)
        if count > 1:
            return None
        if count:
            factor += _term(tuple(symbol for symbol in monomial if symbol is not variable), number)
        else:
            rest += _term(monomial, number)
    return factor, rest


def _term(monomial: Monomial, number: int) -> Size:
    size = Size.number(number)
    for symbol in monomial:
        size *= Size.of(symbol)
    return size


def _mismatch(lhs: Size, rhs: Size) -> str:
    if lhs.as_int() is not None and rhs.as_int() is not None:
        return f"{lhs.text_with_value()}, not {rhs.text_with_value()}"
    return f"{lhs.text_with_value()} is not known to equal {rhs.text_with_value()}"


def _undetermined(variables: Iterable[Symbol]) -> str:
    names = sorted({str(variable) for variable in variables})
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"nothing determines {listed}"
