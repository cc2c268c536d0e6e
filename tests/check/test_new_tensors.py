"""The types of joins and of operations that make tensors, and what they refuse."""

from __future__ import annotations

import pytest

from tests.check.test_axis_operations import checked, refusal, type_of

# --- cat and stack -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b d], y: [c d]", "cat(x, y, over=b)", "[b+c d]"),
        ("x: [b d], y: [b d], z: [3 d]", "cat(x, y, z, over=b)", "[2*b+3 d]"),
        ("x: [b d]", "cat(x, over=b)", "[b d]"),
        ("x: [3 d], y: [b d]", "cat(x, y, over=b)", "[b+3 d]"),
        ("x: [b 4], y: [c 4]", "cat(x, y, over=b)", "[b+c 4]"),
        ("x: [b] u8, y: [c] i8", "cat(x, y, over=b)", "[b+c] [-128, 255] i16"),
        ("x: [b] u8, y: [c] u8", "cat(x, y, over=b)", "[b+c] u8"),
        ("x: [b] Unit f16, y: [c] Signed bf16", "cat(x, y, over=b)", "[b+c] Signed"),
        ("x: [b d] Mask, y: [c d] Mask", "cat(x, y, over=b)", "[b+c d] Mask"),
        ("x: [b d] Prob over d, y: [c d] Prob over d", "cat(x, y, over=b)", "[b+c d] Prob over d"),
        ("x: [b d] Prob over d, y: [b d] Prob over d", "cat(x, y, over=d)", "[b 2*d] Unit"),
        ("v: [k], x: [b] Index[k], y: [c] Index[k]", "cat(x, y, over=b)", "[b+c] Index[k]"),
        ("v: [k w], x: [b] Index[k], y: [c] Index[w]", "cat(x, y, over=b)", "[b+c] NonNeg i64"),
        ("x: [b d], y: [b d]", "stack(x, y, over=pair)", "[pair b d]"),
        ("x: [b] Prob over b, y: [b] Prob over b", "stack(x, y, over=pair)", "[pair b] Prob over b"),
        ("x: []", "stack(x, 1.0, 2, over=all3)", "[all3]"),
        ("x: [b]", "sum(stack(x, x, x, over=copies), over=copies) / copies", "[b]"),
    ],
)
def test_joins(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


def test_a_stacked_axis_can_have_a_name_in_scope_of_that_size() -> None:
    assert type_of("x: [b], y: [b]", "stack(x, y, over=Pair)", "dim Pair = 2") == "[Pair b]"
    assert refusal("x: [b], y: [b]", "stack(x, y, over=Trio)", "dim Trio = 3")[:2] == ("E0401", "Trio")
    assert refusal("x: [b], y: [b]", "stack(x, y, over=b)")[:2] == ("E0401", "b")
    assert refusal("x: [b], y: [b]", "stack(x, y, over=x)")[:2] == ("E0303", "x")


def test_a_stacked_axis_stays_in_scope() -> None:
    result, diagnostics = checked(
        "fn f(x: [b], y: [b]) -> [b]:\n    z = stack(x, y, over=side)\n    return max(z, over=side) * side"
    )
    assert (result, diagnostics) == ("[b]", ())


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b d], y: [c 3]", "cat(x, y, over=b)", ("E0401", "y", "")),
        ("x: [b d], y: [c e]", "cat(x, y, over=b)", ("E0404", "y", "say so: y as")),
        ("x: [b d], y: [d]", "cat(x, y, over=b)", ("E0403", "y", "")),
        ("x: [b d] Mask, y: [c d]", "cat(x, y, over=b)", ("E0501", "x", "x to Binary")),
        ("x: [b d], y: [c d]", "cat(x, y, over=q)", ("E0405", "q", "")),
        ("x: [b d], y: [c d]", "cat(x, y)", ("E0406", "cat", "over=")),
        ("x: [b d]", "cat(over=b)", ("E0406", "cat", "")),
        ("x: [b d], y: [b]", "stack(x, y, over=k)", ("E0403", "y", "")),
        ("x: [b 3], y: [b 4]", "stack(x, y, over=k)", ("E0401", "y", "")),
        ("x: [b], y: [b] Mask", "stack(x, y, over=k)", ("E0501", "y", "y to Binary")),
    ],
)
def test_refused_joins(parameters: str, expression: str, expected: tuple[str, str, str]) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


# --- one_hot, triangles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("w: [v], i: [b t] Index[v]", "one_hot(i)", "[b t v] Binary"),
        ("x: [b n m]", "tril(x)", "[b n m]"),
        ("x: [n m] Mask", "triu(x, 1)", "[n m] Mask"),
        ("x: [n m] Pos i32", "tril(x, offset=-1)", "[n m] NonNeg i32"),
        ("x: [n m] Additive", "tril(x)", "[n m] Additive"),
        ("x: [n m] Prob over m", "triu(x)", "[n m] Unit"),
    ],
)
def test_one_hot_and_triangles(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("i: [b] i64", "one_hot(i)", ("E0501", "i", "i as Index[V]")),
        ("x: [n]", "tril(x)", ("E0403", "x", "")),
        ("x: [n m]", "tril(x, 0.5)", ("E0502", "0.5", "")),
    ],
)
def test_refused_one_hot_and_triangles(
    parameters: str, expression: str, expected: tuple[str, str, str]
) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


# --- new tensors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n]", "zeros([b n 3 2*n])", "[b n 3 2*n] [0, 0]"),
        ("x: [b n]", "ones([(b n)])", "[(b n)] [1, 1]"),
        ("", "ones([])", "[] [1, 1]"),
        ("x: [b n]", "full([n], 0.5)", "[n] [0.5, 0.5]"),
        ("x: [b n]", "full([n], 3)", "[n] [3, 3] i64"),
        ("x: [b n], r: float", "full([n b], r)", "[n b]"),
        ("", "full([2], false)", "[2] Mask"),
        ("x: [b n]", "eye(n)", "[n n] Binary"),
        ("x: [b n]", "eye(2*n)", "[2*n 2*n] Binary"),
        ("x: [b n]", "iota(n)", "[n] Index[n]"),
        ("k: int", "iota(k)", "[?n] Index[?n]"),
        ("k: int", "eye(k)", "[?n ?n] Binary"),
        ("x: [b n] u8", "zeros_like(x)", "[b n] [0, 0] u8"),
        ("x: [b n] Mask", "ones_like(x)", "[b n] Mask"),
        ("x: Real", "x + ones_like(x)", "Real"),
    ],
)
def test_new_tensors(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


def test_a_shape_may_use_dims_and_aliases() -> None:
    declared = "dim Side = 4\ndim Board = [Side Side]"
    assert type_of("", "zeros(Board)", declared) == "[Side Side] [0, 0]"
    assert type_of("", "full([Board 2], 1.0)", declared) == "[Side Side 2] [1, 1]"
    assert type_of("", "iota(Side)", declared) == "[Side] Index[Side]"


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n]", "zeros(n)", ("E0406", "n", "zeros([n])")),
        ("x: [b n]", "zeros(b, n)", ("E0406", "n", "")),
        ("x: [b n]", "zeros()", ("E0406", "zeros", "")),
        ("x: [batch n]", "zeros([bach])", ("E0301", "bach", "did you mean `batch`?")),
        ("x: [b n]", "zeros([elsewhere])", ("E0301", "elsewhere", "")),
        ("x: [b n], k: int", "zeros([k])", ("E0303", "k", "")),
        ("x: [b n]", "zeros([?k])", ("E0409", "?k", "")),
        ("x: [b n], v: []", "full([n], v)", ("E0805", "v", "")),
        ("x: [b n]", "eye(-2)", ("E0406", "-2", "")),
        ("x: [b n]", "iota(n + 0.5)", ("E0502", "n + 0.5", "")),
        ("x: [b n]", "iota(x)", ("E0805", "x", "")),
    ],
)
def test_refused_new_tensors(parameters: str, expression: str, expected: tuple[str, str, str]) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


def test_a_shape_is_no_value_of_a_function_that_hides_a_built_in() -> None:
    assert refusal("x: [n]", "zeros([n])", "fn zeros(x: [n]) -> [n] = x")[:2] == ("E0201", "[n]")
