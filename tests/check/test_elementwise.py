"""The types of elementwise operations and operators: domains, ranges, dtypes, and what is refused."""

from __future__ import annotations

import pytest

from shapescript_check import operations
from tests.check.test_axis_operations import checked, refusal, type_of

# --- logits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("z: [b c] Logit over c", "z + 1", "[b c] Logit over c"),
        ("z: [b c] Logit over c, bias: [c]", "bias + z", "[b c] Logit over c"),
        ("z: [b c] Logit over c, bias: [b]", "z - bias", "[b c] Logit over c"),
        ("z: [b c] Logit over c", "1.0 - z", "[b c] Logit over c"),
        ("z: [b c] Logit over c, t: [] Pos", "z / t", "[b c] Logit over c"),
        ("z: [b c] Logit over c, t: []", "t * z * 0.5", "[b c] Logit over c"),
        ("z: [b c] Logit over c", "-z", "[b c] Logit over c"),
        ("z: [b c] Logit over c", "z |> neg |> scale(2.0)", "[b c] Logit over c"),
        ("z: [b c] Logit over c, keep: [c] Additive", "z + keep", "[b c] Logit over c"),
        ("z: [c b] Logit over c, x: [b c d]", "z + x", "[b c d] Logit over c"),
        ("z: [b c] Logit over c, keep: [c b] Mask", "z |> masked_fill(!keep, -inf)", "[b c] Logit over c"),
        (
            "z: [b c] Logit over c, y: [b c] Logit over c, m: [b c] Mask",
            "where(m, z, y)",
            "[b c] Logit over c",
        ),
        # What isn't a shift or a scale by plain numbers gives plain numbers.
        ("z: [b c] Logit over c", "2.0 / z", "[b c]"),
        ("z: [b c] Logit over c", "z * z", "[b c]"),
        ("z: [b c] Logit over c, y: [b c] Logit over b", "z + y", "[b c]"),
        ("z: [b c] Logit over c", "relu(z)", "[b c] NonNeg"),
        ("z: [b c] Logit over c, y: [b c], m: [b] Mask", "where(m, z, y)", "[b c]"),
    ],
)
def test_logits_shifted_and_scaled_by_numbers_stay_logits(
    parameters: str, expression: str, expected: str
) -> None:
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("p * 2.0", "[b c] [0, 2]"),
        ("-p", "[b c] [-1, 0]"),
        ("1.0 - p", "[b c] Unit"),
        ("masked_fill(p, m, 0.0)", "[b c] Unit"),
        ("where(m, p, q)", "[b c] Prob over c"),
        ("where(all3, p, q)", "[b c] Prob over c"),
        ("where(each, p, q)", "[b c] Unit"),
        ("where(along, p, q)", "[b c] Unit"),
        ("maximum(p, q)", "[b c] Unit"),
    ],
)
def test_arithmetic_leaves_the_range_of_probabilities(expression: str, expected: str) -> None:
    # A choice between distributions is one only where each is taken whole.
    masks = "m: [b] Mask, all3: [] Mask, each: [b c] Mask, along: [c] Mask"
    parameters = f"p: [b c] Prob over c, q: [b c] Prob over c, {masks}"
    assert type_of(parameters, expression) == expected


# --- discrete domains --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a * b", "[n] Binary"),
        ("maximum(a, b)", "[n] Binary"),
        ("minimum(a, b)", "[n] Binary"),
        ("abs(a)", "[n] Binary"),
        ("relu(a)", "[n] Binary"),
        ("round(floor(ceil(a)))", "[n] Binary"),
        ("where(m, a, b)", "[n] Binary"),
        ("masked_fill(a, m, 0)", "[n] Binary"),
        ("masked_fill(a, m, 1.0)", "[n] Binary"),
        ("masked_fill(a, m, 0.5)", "[n] Unit"),
        ("a + b", "[n] [0, 2]"),
        ("a * 1.0", "[n] Unit"),
        ("1 - a", "[n] Unit"),
        ("square(a)", "[n] Unit"),
        ("hide + hide", "[n] Additive"),
        ("masked_fill(hide, m, -inf)", "[n] Additive"),
        ("masked_fill(hide, m, 0.0)", "[n] Additive"),
        ("hide * 2.0", "[n] (-inf, 0]"),
        ("hide + a", "[n] (-inf, 1]"),
        ("where(m, m, !m)", "[n] Mask"),
        ("masked_fill(m, !m, false)", "[n] Mask"),
        ("masked_fill(ids, m, 0)", "[n] Index[v]"),
        ("masked_fill(ids, m, 99)", "[n] NonNeg i64"),
        ("where(m, ids, ids)", "[n] Index[v]"),
        ("ids + 1", "[n] [1, inf) i64"),
    ],
)
def test_discrete_domains(expression: str, expected: str) -> None:
    parameters = "a: [n] Binary, b: [n] Binary, m: [n] Mask, hide: [n] Additive, w: [v], ids: [n] Index[v]"
    assert type_of(parameters, expression) == expected


# --- ranges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("u * 2 - 1", "[n] Signed"),
        ("u / 4", "[n] [0, 0.25]"),
        ("x / 4", "[n]"),
        ("abs(s)", "[n] Unit"),
        ("square(s - 1)", "[n] [0, 4]"),
        ("sign(s)", "[n] Signed"),
        ("sign(u)", "[n] Unit"),
        ("floor(u * 2.5)", "[n] [0, 2]"),
        ("ceil(u * 2.5)", "[n] [0, 3]"),
        ("round(s * 0.4)", "[n] [0, 0]"),
        ("relu(s)", "[n] Unit"),
        ("relu(x)", "[n] NonNeg"),
        ("leaky_relu(u, slope=0.3)", "[n] NonNeg"),
        ("leaky_relu(s)", "[n]"),
        ("elu(u)", "[n] NonNeg"),
        ("elu(s, alpha=2.0)", "[n]"),
        ("acos(s)", "[n] [0, 3.1415927]"),
        ("asin(s)", "[n] [-1.5707964, 1.5707964]"),
        ("atan2(s, x)", "[n] [-3.1415927, 3.1415927]"),
        ("pow(s, 2)", "[n] Unit"),
        ("pow(s, 1.0)", "[n] Signed"),
        ("pow(s, 3)", "[n]"),
        ("pow(u, 0.5)", "[n] Unit"),
        ("pow(u + 1, u)", "[n] [1, 2.0000153]"),
        ("clamp(x, -2, 0.5)", "[n] [-2, 0.5]"),
        ("clamp(s, 0.0, 5.0)", "[n] Unit"),
        ("clamp(x, 0.0, inf)", "[n] NonNeg"),
        ("clamp(u, 2.0, 3.0)", "[n] [2, 2]"),
        ("maximum(x, 0.5)", "[n] [0.5, inf)"),
        ("maximum(u, s)", "[n] Unit"),
        ("minimum(s, u - 1)", "[n] [-1, 0]"),
        ("where(x > 0, u, 2)", "[n] [0, 2]"),
        ("where(x > 0, 1.0, 0.0)", "[n] Unit"),
        ("masked_fill(u, x > 0, -inf)", "[n] (-inf, 1]"),
        ("masked_fill(u, x > 0, -3.0)", "[n] [-3, 1]"),
        ("masked_fill(u, x > 0, u0)", "[n] Unit"),
        ("add(u, s) |> sub(1.0) |> mul(0.5) |> div(2.0)", "[n] [-0.5, 0.25]"),
    ],
)
def test_ranges(expression: str, expected: str) -> None:
    assert type_of("x: [n], u: [n] Unit, s: [n] Signed, u0: [] Unit", expression) == expected


def test_a_function_of_the_program_has_the_range_of_its_body_for_each_call() -> None:
    program = (
        "fn squashed(x: Real, limit = 2.0) -> Real = clamp(x * 0.5, -1.0, limit)\n"
        "fn risen(x: Real) = where(x > 0, x, 0.0)\n"
    )
    assert type_of("u: [n] Unit", "squashed(u)", program) == "[n] [0, 0.5]"
    assert type_of("u: [n] Unit", "squashed(u * 20)", program) == "[n] [0, 2]"
    assert type_of("u: [n] Unit", "squashed(u * 20, limit=0.25)", program) == "[n] [0, 0.25]"
    assert type_of("u: [n] Unit", "risen(u - 3.0)", program) == "[n] [-3, 0]"


# --- dtypes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("h * 0.5", "[n] bf16"),
        ("h + f16x", "[n]"),
        ("h + scalar", "[n] bf16"),
        ("i + 1", "[n] i64"),
        ("i + 0.5", "[n]"),
        ("i / 2", "[n]"),
        ("i / i32x", "[n]"),
        ("byte * 2", "[n] [0, 255] u8"),
        ("byte + byte", "[n] [0, 255] u8"),
        ("byte / 255", "[n] Unit"),
        ("-byte", "[n] [0, 255] u8"),
        ("minimum(byte, 7)", "[n] [0, 7] u8"),
        ("square(small)", "[n] [-128, 127] i8"),
        ("small + byte", "[n] [-128, 382] i16"),
        ("floor(i)", "[n] i64"),
        ("relu(i)", "[n] NonNeg i64"),
        ("leaky_relu(i)", "[n]"),
        ("acos(i)", "[n] [0, 3.1415927]"),
        ("pow(i, 3)", "[n] i64"),
        ("pow(i, 0.5)", "[n]"),
        ("clamp(i, 0, 9)", "[n] [0, 9] i64"),
        ("clamp(i, 0.5, 9)", "[n] [0.5, 9]"),
        ("where(i > 0, i, 0.5)", "[n]"),
        ("where(i > 0, h, 0.5)", "[n] bf16"),
        ("where(i > 0, 1, 2)", "[n] [1, 2] i64"),
        ("masked_fill(i, i > 0, 0)", "[n] i64"),
        ("masked_fill(h, i > 0, -inf)", "[n] bf16"),
        ("i == 3", "[n] Mask"),
        ("h < f64x", "[n] Mask"),
    ],
)
def test_dtypes_are_those_of_torch(expression: str, expected: str) -> None:
    whole = "i: [n] i64, i32x: [n] i32, byte: [n] u8, small: [n] i8"
    parameters = f"h: [n] bf16, f16x: [n] f16, f64x: [n] f64, scalar: [], {whole}"
    result, diagnostics = checked(f"fn f({parameters}) = {expression}")
    assert result == expected
    assert all(d.code == "W0501" for d in diagnostics)


# --- shapes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + y", "[b n m]"),
        ("y * x", "[b n m]"),
        ("t - y", "[m n]"),
        ("y - t", "[n m]"),
        ("x >= t", "[b n m] Mask"),
        ("where(y > 0, x, 0)", "[b n m]"),
        ("where(true, y, t)", "[n m]"),
        ("masked_fill(x, t > 0, 0.0)", "[b n m]"),
        ("masked_fill(x, s > 0, 0.0)", "[b n m]"),
        ("maximum(s, y)", "[n m]"),
        ("atan2(x, y)", "[b n m] [-3.1415927, 3.1415927]"),
        ("scale(x, s)", "[b n m]"),
    ],
)
def test_operands_line_up_by_name(expression: str, expected: str) -> None:
    assert type_of("x: [b n m], y: [n m], t: [m n], s: []", expression) == expected


@pytest.mark.parametrize("name", ["equal", "less", "logical_and", "logical_not", "broadcasting", "families"])
def test_operators_have_no_name_to_call_them_by(name: str) -> None:
    assert name not in operations.names()
    assert type_of("x: [n], y: [n]", "!(x == y) and x < y") == "[n] Mask"
    assert refusal("x: [n], y: [n]", f"{name}(x, y)")[:2] == ("E0301", name)


def test_arithmetic_by_name_on_host_numbers_gives_a_host_number() -> None:
    assert type_of("n: int", "n |> add(2) |> mul(3)") == "int"
    assert type_of("n: int", "div(n, 2)") == "float"
    assert type_of("x: [n D]", "neg(n)", "dim D = 3") == "int"
    assert refusal("flag: bool", "add(flag, 1)")[:2] == ("E0505", "flag")


def test_a_python_value_makes_a_python_value() -> None:
    before = "import python torch"
    assert type_of("x: [n]", 'relu(torch.load("x"))', before) == "a Python value"
    assert type_of("x: [n]", "where(x > 0, x, torch.pi)", before) == "a Python value"
    assert type_of("x: [n]", '(torch.load("x") |> clamp(0, 1)) as [n] Unit', before) == "[n] Unit"


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "at", "help_text"),
    [
        ("x + keep", "keep", "convert it: keep to Additive"),
        ("(x > 0) + x", "x > 0", "convert it: (x > 0) to Additive"),
        ("keep * x", "keep", "convert it: keep to Binary"),
        ("x - keep", "keep", "convert it: keep to Binary"),
        ("x / keep", "keep", "convert it: keep to Binary"),
        ("scale(keep, 2)", "keep", "convert it: keep to Binary"),
        ("-keep", "keep", "write !keep"),
        ("keep |> neg", "keep", "write !keep"),
        ("keep * other", "keep", "write keep and other"),
        ("keep + other", "keep", "write keep or other"),
        ("keep - other", "keep", "write keep and !other"),
    ],
)
def test_arithmetic_on_a_mask(expression: str, at: str, help_text: str) -> None:
    code, where, found = refusal("x: [n m], keep: [n m] Mask, other: [n m] Mask", expression)
    assert (code, where) == ("E0505", at)
    assert help_text in found


@pytest.mark.parametrize(
    ("expression", "at", "help_text"),
    [
        ("relu(keep)", "keep", "keep to Binary"),
        ("maximum(x, keep)", "keep", "keep to Binary"),
        ("clamp(x > 0, 0, 1)", "x > 0", "(x > 0) to Binary"),
        ("keep < x", "keep", "keep to Binary"),
        ("keep == x", "keep", "keep to Binary"),
        ("x == true", "true", ""),
        ("x and keep", "x", "x != 0"),
        ("keep or x + 1", "x + 1", "(x + 1) != 0"),
        ("!x", "x", "x != 0"),
        ("where(x, x, x)", "x", "x != 0"),
        ("where(keep, x, keep)", "keep", "keep to Binary"),
        ("masked_fill(x, x, 0)", "x", "x != 0"),
        ("masked_fill(keep, keep, 0)", "keep", "keep to Binary"),
        ("masked_fill(x, keep, true)", "true", ""),
    ],
)
def test_masks_and_numbers_are_told_apart(expression: str, at: str, help_text: str) -> None:
    code, where, found = refusal("x: [n m], keep: [n m] Mask", expression)
    assert (code, where) == ("E0501", at)
    assert help_text in found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("masked_fill(y, x > 0, 0.0)", ("E0404", "x > 0")),
        ("masked_fill(y, k > 0, 0.0)", ("E0404", "masked_fill")),
        ("masked_fill(one, k > 0, 0.0)", ("E0404", "k > 0")),
        ("masked_fill(s, y > 0, 0.0)", ("E0404", "y > 0")),
        ("x + k", ("E0404", "+")),
        ("where(k > 0, y, 0.0)", ("E0404", "where")),
        ("y + four", ("E0401", "+")),
        ("scale(y, m0)", ("E0403", "m0")),
        ("masked_fill(y, y > 0, m0)", ("E0403", "m0")),
        ("clamp(y, s, 1.0)", ("E0805", "s")),
        ("leaky_relu(y, s)", ("E0805", "s")),
        ("clamp(y, 1.0, 0.5)", ("E0406", "0.5")),
        ("clamp(y, 0.5)", ("E0406", "clamp")),
        ("relu(y, y)", ("E0406", "y")),
        ("elu(y, slope=1.0)", ("E0406", "slope")),
        ('relu("y")', ("E0412", '"y"')),
        ("masked_fill(i, i > 0, 0.5)", ("E0502", "0.5")),
        ("masked_fill(i, i > 0, -inf)", ("E0502", "-inf")),
        ("masked_fill(byte, byte > 0, 300)", ("E0502", "300")),
        ("where(byte > 0, byte, -1)", ("E0502", "-1")),
        ("maximum(byte, 256)", ("E0502", "256")),
        ("clamp(byte, -1, 7)", ("E0502", "-1")),
        ("pow(i, -2)", ("E0502", "-2")),
    ],
)
def test_what_else_is_refused(expression: str, expected: tuple[str, str]) -> None:
    parameters = (
        "x: [b n m], y: [n m], k: [n k2], m0: [m], four: [4], one: [n 1], s: [], i: [n] i64, byte: [n] u8"
    )
    assert refusal(parameters, expression)[:2] == expected


def test_every_wrong_operand_is_reported() -> None:
    _, diagnostics = checked("fn f(a: [n] Mask, b: [n] Mask, x: [n]) = where(x, a, x) |> maximum(b)")
    assert [d.code for d in diagnostics] == ["E0501", "E0501"]
    _, diagnostics = checked("fn f(a: [n] Mask, b: [n] Mask) = a < b")
    assert [d.code for d in diagnostics] == ["E0501", "E0501"]


# --- edges -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "code", "at"),
    [
        ("1 / u", "W0501", "u"),
        ("x / (u - 0.5)", "W0501", "u - 0.5"),
        ("div(x, flags)", "W0501", "flags"),
        ("x / 0", "E0506", "0"),
        ("x / (u * 0)", "E0506", "u * 0"),
        ("acos(u + 2)", "E0506", "u + 2"),
        ("asin(-2.0 - u)", "E0506", "-2.0 - u"),
        ("log(s)", "E0506", "s"),
        ("sqrt(s)", "E0506", "s"),
        ("log(u)", "W0501", "u"),
        ("rsqrt(u)", "W0501", "u"),
    ],
)
def test_edges_that_are_reached(expression: str, code: str, at: str) -> None:
    parameters = "x: [n], u: [n] Unit, s: [n] Signed, flags: [n] Binary"
    assert refusal(parameters, expression)[:2] == (code, at)


@pytest.mark.parametrize("expression", ["x / x", "u / n", "acos(u * 3)", "x / (u + 1)", "sqrt(u)", "log(x)"])
def test_edges_that_may_not_be_reached(expression: str) -> None:
    type_of("x: [n], u: [n] Unit", expression)
