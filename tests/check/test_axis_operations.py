"""The types of operations along an axis, joins, losses, gathers and new tensors, and what is refused."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from shapescript_syntax.diagnostics import Diagnostic


def checked(text: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The type that `f` gives and everything reported."""
    program = Checker().check("f.ss", text + "\n")
    return str(program.bodies["f"].body.returns), program.diagnostics


def type_of(parameters: str, expression: str, before: str = "") -> str:
    """The type of an expression; nothing may be reported."""
    result, diagnostics = checked(f"{before}\nfn f({parameters}) = {expression}")
    assert not diagnostics, [str(d) for d in diagnostics]
    return result


def refusal(parameters: str, expression: str, before: str = "") -> tuple[str, str, str]:
    """The code, the source it points at and the help of the only diagnostic."""
    text = f"{before}\nfn f({parameters}) = {expression}"
    _, diagnostics = checked(text)
    assert len(diagnostics) == 1, [str(d) for d in diagnostics]
    found = diagnostics[0]
    return found.code, text[found.span.start : found.span.end], found.help or ""


# --- reductions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n d]", "sum(x, over=n)", "[b d]"),
        ("x: [b n d]", "sum(x)", "[]"),
        ("x: [b n] bf16", "sum(x, over=n)", "[b] bf16"),
        ("x: [b n] u8", "sum(x, over=n)", "[b] NonNeg i64"),
        ("x: [b n] i8", "sum(x, over=n)", "[b] i64"),
        ("x: [b n] Mask", "sum(x, over=b)", "[n] NonNeg i64"),
        ("x: [b n] Pos", "sum(x, over=n)", "[b] Pos"),
        ("x: [b c] Logit over c", "sum(x, over=b)", "[c] Logit over c"),
        ("x: [b c] Logit over b", "sum(x, over=c)", "[b] Logit over b"),
        ("x: [b c] Logit over c", "sum(x, over=c)", "[b]"),
        ("x: [b c] Prob over c", "sum(x, over=b)", "[c] NonNeg"),
        ("x: [b n] Mask", "prod(x)", "[] NonNeg i64"),
        ("x: [b n] Binary", "prod(x, over=n)", "[b] Binary"),
        ("x: [b n] Signed", "mean(x, over=n)", "[b] Signed"),
        ("x: [b n] i64", "mean(x, over=n)", "[b]"),
        ("x: [b c] Prob over c", "mean(x, over=b)", "[c] Prob over c"),
        ("x: [b c] Prob over c", "mean(x, over=c)", "[b] Unit"),
        ("x: [b c] LogProb over c", "mean(x, over=b)", "[c] (-inf, 0]"),
        ("x: [b n] f16", "std(x)", "[] NonNeg f16"),
        ("x: [b n] i32", "var(x, over=n)", "[b] NonNeg"),
        ("x: [b n]", "norm(x, over=b)", "[n] NonNeg"),
        ("x: [b n] Unit", "logsumexp(x, over=n)", "[b] NonNeg"),
        ("x: [b n]", "logsumexp(x)", "[]"),
        ("x: [b n] Unit", "max(x, over=n)", "[b] Unit"),
        ("x: [b n] Additive", "min(x, over=n)", "[b] Additive"),
        ("x: [b n] Index[v], w: [v]", "max(x, over=n)", "[b] Index[v]"),
        ("x: [b c] Prob over c", "max(x, over=b)", "[c] Unit"),
        ("x: [b n] Mask", "any(x, over=n)", "[b] Mask"),
        ("x: [b n] Mask", "all(x)", "[] Mask"),
        ("x: [b n]", "argmax(x, over=n)", "[b] Index[n]"),
        ("x: [n] i16", "argmin(x)", "[] Index[n]"),
        ("x: []", "sum(x)", "[]"),
    ],
)
def test_reductions(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


def test_what_may_be_empty_sums_to_zero_and_not_above() -> None:
    some = "x: [n], keep: [n] Mask"
    assert type_of("x: [n]", "sum(exp(x))") == "[] NonNeg"
    assert type_of("x: [n] Pos", "sum(x)") == "[] Pos"
    assert type_of(f"{some}, y: [n] Pos", "sum(y[keep])") == "[] NonNeg"
    assert type_of(f"{some}, y: [n] Unit", "logsumexp(y[keep])") == "[]"


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n] Mask", "max(x, over=n)", ("E0501", "x", "any(x)")),
        ("x: [b n] Mask", "mean(x, over=n)", ("E0501", "x", "x to Binary")),
        ("x: [b n]", "any(x, over=n)", ("E0501", "x", "x != 0")),
        ("x: [b n]", "argmax(x)", ("E0406", "argmax", "argmax(x, over=n)")),
        ("x: [b n]", "sum(x, over=m)", ("E0405", "m", "")),
        ("x: [b n]", "sum(x, over=1)", ("E0406", "over=1", "over=n")),
        ("x: [b n]", "sum(x, ovr=n)", ("E0406", "ovr", "did you mean `over`?")),
        ("x: Real", "mean(x)", ("E0405", "x", "give the parameter a shape")),
        ("x: [b n]", 'sum("all")', ("E0412", '"all"', "")),
    ],
)
def test_refused_reductions(parameters: str, expression: str, expected: tuple[str, str, str]) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


def test_a_python_value_has_no_axis_to_work_along() -> None:
    code, at, help_text = refusal("", "sum(torch.rand(3), over=n)", "import python torch")
    assert (code, at) == ("E0413", "torch.rand(3)")
    assert "as [n D]" in help_text


# --- along an axis -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n]", "softmax(x, over=n)", "[b n] Prob over n"),
        ("x: [b n] bf16", "log_softmax(x, over=b)", "[b n] LogProb over b bf16"),
        ("x: [b n] i64", "softmax(x, over=n)", "[b n] Prob over n"),
        ("x: [b n] LogProb over n", "softmax(x, over=n)", "[b n] Prob over n"),
        ("x: [b n] Prob over n", "softmax(x, over=b)", "[b n] Prob over b"),
        ("x: [b n] Mask", "cumsum(x, over=n)", "[b n] NonNeg i64"),
        ("x: [b n] f16", "cumsum(x, over=n)", "[b n] f16"),
        ("x: [b n] Unit", "cumprod(x, over=n)", "[b n] NonNeg"),
        ("x: [b n] Unit i8", "sort(x, over=n)", "[b n] Unit i8"),
        ("x: [b c] Prob over c", "sort(x, over=c)", "[b c] Prob over c"),
        ("x: [b c] Prob over c", "sort(x, over=b)", "[b c] Unit"),
        ("x: [b n]", "argsort(x, over=b)", "[b n] Index[b]"),
        ("x: [b c] Prob over c", "flip(x, over=b)", "[b c] Prob over c"),
        ("x: [b n] Mask", "flip(x, over=n)", "[b n] Mask"),
        ("x: [b n], k: int", "roll(x, k, over=n)", "[b n]"),
        ("x: [b n n]", "softmax(x, over=n)", "[b n n] Prob over n"),
    ],
)
def test_operations_along_an_axis(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n] Prob over n", "softmax(x, over=n)", ("E0501", "x", "softmax applied twice?")),
        ("x: [b n] Mask", "softmax(x, over=n)", ("E0501", "x", "x to Binary")),
        ("x: [b n]", "softmax(x)", ("E0406", "softmax", "over=")),
        ("x: [b n]", "softmax(x, n)", ("E0406", "n", "by name: over=n")),
        ("x: [b n] Mask", "argsort(x, over=n)", ("E0501", "x", "x to Binary")),
        ("x: [b n]", "roll(x, 0.5, over=n)", ("E0502", "0.5", "")),
        ("x: [b n], k: []", "roll(x, k, over=n)", ("E0805", "k", "")),
        ("x: [b n]", "flip(x, over=rows)", ("E0405", "rows", "")),
    ],
)
def test_refused_along_an_axis(parameters: str, expression: str, expected: tuple[str, str, str]) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


# --- topk --------------------------------------------------------------------------------------------------


def topk(k: str, result: str, shape: str = "[b C]", more: str = "") -> tuple[str, tuple[Diagnostic, ...]]:
    return checked(
        f"dim C = 10\ndim K = 3\nfn f(x: {shape}{more}):\n    v, i = topk(x, {k}, over=C)\n    return {result}"
    )


@pytest.mark.parametrize(
    ("k", "values", "positions"),
    [
        ("4", "[b 4]", "[b 4] Index[C]"),
        ("K", "[b K]", "[b K] Index[C]"),
        ("C", "[b C]", "[b C] Index[C]"),
        ("K+1", "[b K+1]", "[b K+1] Index[C]"),
        ("b", "[b b]", "[b b] Index[C]"),
        ("count", "[b ?k]", "[b ?k] Index[C]"),
        ("0", "[b 0]", "[b 0] Index[C]"),
    ],
)
def test_topk_cuts_the_axis_to_k(k: str, values: str, positions: str) -> None:
    more = ", count: int"
    assert topk(k, "v", more=more) == (values, ())
    assert topk(k, "i", more=more) == (positions, ())


def test_a_size_bound_to_a_name_is_known_to_topk() -> None:
    result, diagnostics = checked(
        "fn f(x: [b 9]) -> [b 6]:\n"
        "    k = 2 * 3\n"
        "    y = x as [b 9]\n"
        "    v, i = topk(softmax(rearrange(y, b c -> b c), over=c), k, over=c)\n"
        "    return v"
    )
    assert (result, diagnostics) == ("[b 6] Unit", ())


@pytest.mark.parametrize(
    ("k", "shape", "code"),
    [
        ("11", "[b C]", "E0415"),
        ("C+1", "[b C]", "E0415"),
        ("-1", "[b C]", "E0415"),
        ("2.0", "[b C]", "E0502"),
        ("true", "[b C]", "E0502"),
        ("x", "[b C]", "E0805"),
    ],
)
def test_what_topk_can_not_take(k: str, shape: str, code: str) -> None:
    _, diagnostics = topk(k, "x", shape)
    assert [d.code for d in diagnostics] == [code]


def test_topk_of_an_axis_that_may_be_long_enough_is_allowed() -> None:
    result, diagnostics = checked("fn f(x: [n]):\n    v, i = topk(x, 5, over=n)\n    return v")
    assert (result, diagnostics) == ("[5]", ())


# --- losses ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("z: [b c], y: [b] Index[c]", "cross_entropy(z, y, over=c)", "[] NonNeg"),
        ("z: [b t c] bf16, y: [t b] Index[c]", "cross_entropy(z, y, over=c)", "[] NonNeg bf16"),
        ("z: [b t c], y: [b t] i32", "cross_entropy(z, y, over=c, per_example=true)", "[b t] NonNeg"),
        ("z: [c b t], y: [t b] Index[c]", "cross_entropy(z, y, over=c, per_example=true)", "[b t] NonNeg"),
        ("z: [b c], y: [c b] Prob over c", "cross_entropy(z, y, over=c)", "[] NonNeg"),
        ("z: [b c] f16, y: [b c] Prob over c", "cross_entropy(z, y, over=c)", "[] NonNeg"),
        ("z: [c], y: [] Index[c]", "cross_entropy(z, y, over=c, per_example=false)", "[] NonNeg"),
        ("x: [b n], y: [n b]", "mse_loss(x, y)", "[] NonNeg"),
        ("x: [b n] i64, y: [b n] u8", "mse_loss(x, y)", "[] NonNeg"),
        ("x: [b n] bf16, y: [b n] f64", "mse_loss(x, y)", "[] NonNeg f64"),
        ("x: [n]", "mse_loss(mean(x), 0.5)", "[] NonNeg"),
    ],
)
def test_losses(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        (
            "z: [b c] Prob over c, y: [b] Index[c]",
            "cross_entropy(z, y, over=c)",
            ("E0501", "z", "before cross_entropy?"),
        ),
        ("z: [b c], y: [b] Index[b]", "cross_entropy(z, y, over=c)", ("E0507", "y", "")),
        ("z: [b c], y: [b c]", "cross_entropy(z, y, over=c)", ("E0501", "y", "y as Prob over c")),
        ("z: [b c], y: [b c] Prob over b", "cross_entropy(z, y, over=c)", ("E0501", "y", "y as Prob over c")),
        ("z: [b c], y: [b] Mask", "cross_entropy(z, y, over=c)", ("E0501", "y", "")),
        ("z: [b c], y: [b t] Index[c]", "cross_entropy(z, y, over=c)", ("E0403", "y", "")),
        ("z: [b c], y: [t] Index[c]", "cross_entropy(z, y, over=c)", ("E0404", "y", "say so: y as")),
        ("z: [4 c], y: [3] Index[c]", "cross_entropy(z, y, over=c)", ("E0401", "y", "")),
        (
            "z: [b c], y: [b] Index[c], k: bool",
            "cross_entropy(z, y, over=c, per_example=k)",
            ("E0406", "k", ""),
        ),
        ("x: [4 1], y: [4]", "mse_loss(x, y)", ("E0403", "y", "nothing is stretched")),
        ("x: [4 1], y: [4 3]", "mse_loss(x, y)", ("E0401", "y", "")),
        ("x: [n], y: [m]", "mse_loss(x, y)", ("E0404", "y", "say so: y as")),
        ("x: [n], y: [n] Mask", "mse_loss(x, y)", ("E0501", "y", "y to Binary")),
    ],
)
def test_refused_losses(parameters: str, expression: str, expected: tuple[str, str, str]) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


# --- gathers and scatters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n] Unit, i: [b k] Index[n]", "gather(x, i, over=n)", "[b k] Unit"),
        ("x: [b n], i: [b 3] u8", "gather(x, i, over=n)", "[b 3]"),
        ("x: [b c] Prob over c, i: [k c] Index[b]", "gather(x, i, over=b)", "[k c] Unit"),
        ("x: [b n] Unit, i: [b k] Index[n], s: [b k] Signed", "scatter(x, i, s, over=n)", "[b n] Signed"),
        ("x: [b n] Mask, i: [b k] Index[n], s: [b k] Mask", "scatter(x, i, s, over=n)", "[b n] Mask"),
        ("x: [b n] Unit, i: [b k] Index[n], s: [b k] NonNeg", "scatter_add(x, i, s, over=n)", "[b n] NonNeg"),
        ("x: [b n] Unit, i: [b k] Index[n], s: [b k] Signed", "scatter_add(x, i, s, over=n)", "[b n]"),
        ("x: [v d], i: [b t] Index[v], s: [b t d]", "index_add(x, i, s, over=v)", "[v d]"),
        ("x: [d v] NonNeg, i: [t] Index[v], s: [d t] Pos", "index_add(x, i, s, over=v)", "[d v] NonNeg"),
        ("x: [v d], i: [] i64, s: [d]", "index_add(x, i, s, over=v)", "[v d]"),
    ],
)
def test_gathers_and_scatters(parameters: str, expression: str, expected: str) -> None:
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n], i: [b k] Index[b]", "gather(x, i, over=n)", ("E0507", "i", "")),
        ("x: [b n], i: [k] Index[n]", "gather(x, i, over=n)", ("E0403", "i", "")),
        ("x: [b n], i: [c k] Index[n]", "gather(x, i, over=n)", ("E0404", "i", "say so: i as")),
        ("x: [4 n], i: [3 k] Index[n]", "gather(x, i, over=n)", ("E0401", "i", "")),
        ("x: [b n], i: [b k]", "gather(x, i, over=n)", ("E0502", "i", "i to i64")),
        ("x: [b n], i: [b k] Mask", "gather(x, i, over=n)", ("E0501", "i", "")),
        ("x: [b n], i: [b k] Index[n], s: [b k] f16", "scatter(x, i, s, over=n)", ("E0502", "s", "s to f32")),
        ("x: [b n], i: [b k] Index[n], s: [b 3]", "scatter(x, i, s, over=n)", ("E0401", "s", "")),
        (
            "x: [b n], i: [b k] Index[n], s: [b k] Mask",
            "scatter(x, i, s, over=n)",
            ("E0501", "s", "s to Binary"),
        ),
        ("x: [v d], i: [t] Index[d], s: [t d]", "index_add(x, i, s, over=v)", ("E0507", "i", "")),
        (
            "x: [v d], i: [t] Index[v], s: [t d] bf16",
            "index_add(x, i, s, over=v)",
            ("E0502", "s", "s to f32"),
        ),
        ("x: [v d], i: [t] Index[v], s: [d]", "index_add(x, i, s, over=v)", ("E0403", "s", "")),
    ],
)
def test_refused_gathers_and_scatters(
    parameters: str, expression: str, expected: tuple[str, str, str]
) -> None:
    code, at, help_text = refusal(parameters, expression)
    assert (code, at) == expected[:2]
    assert expected[2] in help_text


def test_what_is_wrong_inside_every_operand_is_reported() -> None:
    _, diagnostics = checked("fn f(x: [b n]) = gather(x + y, z, over=n)")
    assert [d.code for d in diagnostics] == ["E0301", "E0301"]
