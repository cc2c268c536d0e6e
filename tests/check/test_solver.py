"""What the size solver works out, and what it says when it cannot."""

from __future__ import annotations

import pytest

from shapescript_check.sizes import Equation, FailureKind, Size, Solver, Symbol, solve

D, H, DH = (Size.of(Symbol.dim(name, value)) for name, value in [("D", 768), ("H", 12), ("Dh", 64)])
n, m = Size.of(Symbol.generic("n")), Size.of(Symbol.generic("m"))
k = Size.of(Symbol.unknown("k"))
A, B, C = (Symbol.variable(name, 1) for name in ("a", "b", "c"))
a, b, c = Size.of(A), Size.of(B), Size.of(C)


def num(number: int) -> Size:
    return Size.number(number)


@pytest.mark.parametrize(
    ("equations", "solved"),
    [
        ([(a, D)], "a = D"),
        ([(a, 3 * D)], "a = 3*D"),
        ([(3 * D, a)], "a = 3*D"),
        ([(16 * a, num(224))], "a = 14"),
        ([(a * H, D)], "a = 64"),
        ([(a * D, 3 * H * DH)], "a = 3"),
        ([(a * n, n * m)], "a = m"),
        ([(a + 1, n)], "a = n - 1"),
        ([(a + D, 4 * D)], "a = 3*D"),
        ([(2 * a, a + n)], "a = n"),
        ([(D * a, 768 * a), (a, n)], "a = n"),
        ([(a, k)], "a = ?k"),
        # An equation waits until others leave it one unknown.
        ([(a * b, D), (b, H)], "a = 64, b = H"),
        ([(a + b + c, num(10)), (a * b, num(6)), (a, num(2))], "a = 2, b = 3, c = 5"),
        ([(a, b), (b, n)], "a = n, b = n"),
        ([(a, b * 2), (a, 2 * n)], "a = 2*n, b = n"),
    ],
)
def test_solutions(equations: list[tuple[Size, Size]], solved: str) -> None:
    solution = solve(Equation(lhs, rhs) for lhs, rhs in equations)
    assert not solution.failures
    assert not solution.unsolved
    assert (
        ", ".join(f"{symbol} = {solution.bindings[symbol]}" for symbol in (A, B, C)[: len(solution.bindings)])
        == solved
    )


@pytest.mark.parametrize(
    ("equation", "kind", "detail"),
    [
        ((n, num(196)), FailureKind.MISMATCH, "n is not known to equal 196"),
        ((k, num(196)), FailureKind.MISMATCH, "?k is not known to equal 196"),
        ((n, m), FailureKind.MISMATCH, "n is not known to equal m"),
        ((3 * D, num(768)), FailureKind.MISMATCH, "3*D = 2304, not 768"),
        ((16 * 16 * num(3), D), FailureKind.MISMATCH, "768, not D = 512"),
        ((a + 3, num(3)), FailureKind.MISMATCH, "a would be 0, and a size is at least 1"),
        ((a + n, num(0)), FailureKind.MISMATCH, "a would be -n, and a size is at least 1"),
        ((16 * a, num(225)), FailureKind.INDIVISIBLE, "225 is not divisible by 16"),
        ((16 * a, n), FailureKind.INDIVISIBLE, "n is not divisible by 16"),
        ((a * 5, D), FailureKind.INDIVISIBLE, "D = 768 is not divisible by 5"),
        ((a * b, D), FailureKind.UNDETERMINED, "nothing determines a and b"),
        ((a * a, num(16)), FailureKind.UNDETERMINED, "nothing determines a"),
        ((num(2**126), a - num(2**126)), FailureKind.TOO_LARGE, "a step does not fit in 128 bits"),
    ],
)
def test_failures(equation: tuple[Size, Size], kind: FailureKind, detail: str) -> None:
    lhs, rhs = equation
    if detail.endswith("512"):
        rhs = Size.of(Symbol.dim("D", 512))
    (failure,) = solve([Equation(lhs, rhs, "axis 1")]).failures
    assert (failure.kind, failure.detail, failure.equation.tag) == (kind, detail, "axis 1")


def test_the_kinds_are_the_codes_users_see() -> None:
    assert [kind.value for kind in FailureKind] == ["E0401", "E0402", "E0409", "E0414"]


def test_a_failure_shows_what_was_solved() -> None:
    (failure,) = solve([Equation(a, num(3)), Equation(a * n, 4 * n)]).failures
    assert (str(failure.lhs), str(failure.rhs)) == ("3*n", "4*n")


def test_a_step_may_be_too_large() -> None:
    (failure,) = solve([Equation(a, num(2**100)), Equation(b, a * a)]).failures
    assert failure.kind is FailureKind.TOO_LARGE
    assert str(failure.rhs) == "a*a"


def test_each_equation_fails_at_most_once_and_in_order() -> None:
    equations = [Equation(n, num(2), i) for i in range(3)]
    assert [failure.equation.tag for failure in solve(equations).failures] == [0, 1, 2]


def test_what_follows_from_a_failure_is_not_reported() -> None:
    solution = solve([Equation(16 * a, num(225)), Equation(a * b, num(30)), Equation(c, n)])
    assert [failure.kind for failure in solution.failures] == [FailureKind.INDIVISIBLE]
    assert solution.unsolved == {A, B}
    assert solution.bindings == {C: n}


def test_one_report_covers_what_stays_unknown_together() -> None:
    solution = solve([Equation(a * b, D), Equation(b * c, D)])
    assert [failure.kind for failure in solution.failures] == [FailureKind.UNDETERMINED]
    assert solution.unsolved == {A, B, C}


def test_a_later_equation_may_settle_what_an_earlier_one_could_not() -> None:
    solution = solve([Equation(16 * a, num(225)), Equation(a, num(14))])
    assert [failure.kind for failure in solution.failures] == [FailureKind.INDIVISIBLE]
    assert solution.bindings == {A: num(14)}
    assert not solution.unsolved


def test_rounds_build_on_each_other() -> None:
    solver = Solver({A: n})
    assert solver.resolve(a + b) == n + b
    solver.solve([Equation(b, 2 * a)])
    assert solver.resolve(a + b) == 3 * n
    (failure,) = solver.solve([Equation(b, num(4))]).failures
    assert failure.detail == "2*n is not known to equal 4"


def test_bindings_hold_no_solved_variables() -> None:
    solver = Solver({A: b + 1})
    solver.solve([Equation(b, n)])
    assert solver.bindings == {A: n + 1, B: n}
