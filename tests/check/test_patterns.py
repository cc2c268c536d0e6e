"""The types of operations with a pattern, what becomes of axes, and what is refused."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from shapescript_check.operations.flows import (
    Contracted,
    Flow,
    Grouped,
    Kept,
    Reduced,
    Regrouped,
    Selected,
)
from shapescript_check.program import Program
from shapescript_check.typed.tree import Apply, ReturnValue
from shapescript_syntax.diagnostics import Diagnostic

DIMS = "dim D = 768\ndim H = 12\ndim Dh = D / H\n"


def checked(parameters: str, body: str) -> Program:
    """A function of some parameters, with an expression or a block for its body."""
    start = "" if body.startswith("\n") else " = "
    colon = ":" if body.startswith("\n") else ""
    return Checker().check("f.ss", f"{DIMS}\nfn f({parameters}){colon}{start}{body}\n")


def type_of(parameters: str, body: str) -> str:
    """The type of what `f` gives; nothing may be reported."""
    program = checked(parameters, body)
    assert not program.diagnostics, [str(d) for d in program.diagnostics]
    return str(program.bodies["f"].body.returns)


def refusal(parameters: str, body: str) -> Diagnostic:
    """The only diagnostic."""
    program = checked(parameters, body)
    assert len(program.diagnostics) == 1, [str(d) for d in program.diagnostics]
    return program.diagnostics[0]


def refused(parameters: str, body: str) -> tuple[str, str, str]:
    """The code of the only diagnostic, the source it points at, and its message."""
    found = refusal(parameters, body)
    text = checked(parameters, body).source.text
    return found.code, text[found.span.start : found.span.end], found.message


# --- types -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n D]", "rearrange(x, b n D -> n b D)", "[n b D]"),
        ("x: [b n D]", "rearrange(x, b i c -> c i b)", "[c i b]"),
        ("x: [b n D]", "rearrange(x, b n (h d) -> b h n d, h=12)", "[b h n d]"),
        ("x: [b n D]", "rearrange(x, b n (H d) -> b n H d)", "[b n H d]"),
        ("x: [b n 768]", "rearrange(x, b n (H Dh) -> b n H Dh)", "[b n H Dh]"),
        ("x: [b n 768]", "rearrange(x, b n D -> b n D)", "[b n D]"),
        ("x: [b H n Dh]", "rearrange(x, b H n Dh -> b n (H Dh))", "[b n (H Dh)]"),
        ("x: [b n]", "rearrange(x, b n -> b 1 n)", "[b 1 n]"),
        ("x: [b 1 n]", "rearrange(x, b 1 n -> b n)", "[b n]"),
        ("x: [b 3 n]", "rearrange(x, b 3 n -> b n 3)", "[b n 3]"),
        ("x: [b n]", "rearrange(x, b n -> () (b n))", "[1 (b n)]"),
        ("x: [b 3 16gh 16gw]", "rearrange(x, b c 16gh (gw q) -> b (gh gw) (16 q c))", "[b (gh gw) (16 q c)]"),
        ("x: [b (gh gw) D]", "rearrange(x, b (gh gw) D -> b gh gw D)", "[b gh gw D]"),
        ("x: [b (2 n)]", "rearrange(x, b (k m) -> b k m)", "[b k m]"),
        ("x: [b n 2*n]", "rearrange(x, b n (n i) -> b n i)", None),
        ("x: [b n] Mask", "rearrange(x, b n -> n b)", "[n b] Mask"),
        ("x: [b n] Index[D]", "rearrange(x, b n -> (n b))", "[(n b)] Index[D]"),
        ("x: [b n] bf16", "rearrange(x, b n -> n b)", "[n b] bf16"),
        ("x: [n D]", "repeat(x, n D -> n 3 D)", "[n 3 D]"),
        ("x: [n D]", "repeat(x, n D -> n (D k), k=3)", "[n (D k)]"),
        ("x: [n D], y: [m]", "repeat(x, n D -> m n D)", "[m n D]"),
        ("x: []", "repeat(x, -> H)", "[H]"),
        ("x: [n D]", "repeat(2.5, -> D)", "[D] [2.5, 2.5]"),
        ("x: [3 n]", "repeat(x, 3 n -> n 3 3)", "[n 3 3]"),
        ("x: [b n D] Unit", "reduce(x, b n D -> b D, mean)", "[b D] Unit"),
        ("x: [b n D] Unit", "reduce(x, b n D -> b D, sum)", "[b D] NonNeg"),
        ("x: [b n D] Mask", "reduce(x, b n D -> b, sum)", "[b] NonNeg i64"),
        ("x: [b n D] Mask", "reduce(x, b n D -> b, any)", "[b] Mask"),
        ("x: [b n D] u8", "reduce(x, b n D -> b, mean)", "[b] [0, 255.00389]"),
        ("x: [b n D] Mask", "reduce(x, b n D -> D n b, sum)", "[D n b] NonNeg i64"),
        ("x: [b 3 64 64]", "reduce(x, b c (i 2) (j 2) -> b c i j, max)", "[b c i j]"),
        ("x: [b n D]", "reduce(x, b n D ->, sum)", "[]"),
        ("x: [b n D]", "reduce(x, b n D -> b 1 D, min)", "[b 1 D]"),
        ("x: [b n], y: [n m]", "einsum(x, y: b n, n m -> b m)", "[b m]"),
        ("x: [b n]", "einsum(x: b n -> n)", "[n]"),
        ("x: [b n] Unit", "einsum(x, x, x: b n, b n, b m -> n m)", "[n m]"),
        ("x: [b n] bf16, y: [n] bf16", "einsum(x, y: b i, i -> b)", "[b] bf16"),
    ],
)
def test_types(parameters: str, expression: str, expected: str | None) -> None:
    if expected is None:
        assert checked(parameters, expression).diagnostics
        return
    assert type_of(parameters, expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("rearrange(p, b n C -> n b C)", "[n b C] Prob over C"),
        ("rearrange(p, b n C -> C b n)", "[C b n] Prob over C"),
        ("rearrange(p, b n classes -> b classes n)", "[b classes n] Prob over classes"),
        ("rearrange(p, b n C -> b (n C))", "[b (n C)] Unit"),
        ("rearrange(p, b n (h d) -> b n h d, h=5)", "[b n h d] Unit"),
        ("repeat(p, b n C -> b k n C, k=2)", "[b k n C] Prob over C"),
        ("reduce(p, b n C -> C b, mean)", "[C b] Prob over C"),
        ("reduce(p, b n C -> b C, sum)", "[b C] NonNeg"),
        ("reduce(p, b n C -> b n, mean)", "[b n] Unit"),
        ("reduce(log(p + 0.5), b n C -> b C, max)", "[b C] "),
    ],
)
def test_what_a_distribution_becomes(expression: str, expected: str) -> None:
    program = Checker().check("f.ss", f"dim C = 10\nfn f(p: [b n C] Prob over C) = {expression}\n")
    assert not program.diagnostics
    assert str(program.bodies["f"].body.returns).startswith(expected)


def test_what_logits_become() -> None:
    text = "fn f(z: [b n C] Logit over C) = z |> reduce(b n C -> C b, sum) |> rearrange(C b -> b k C, k=1)\n"
    program = Checker().check("f.ss", "dim C = 10\n" + text.replace("b k C, k=1", "b 1 C"))
    assert str(program.bodies["f"].body.returns) == "[b 1 C] Logit over C"


@pytest.mark.parametrize(
    ("parameters", "expression", "each", "count"),
    [
        ("x: [b n (3 D)]", "split(x, b n (3 H Dh) -> b H n Dh)", "[b H n Dh]", 3),
        ("x: [n 2]", "split(x, n 2 -> n)", "[n]", 2),
        ("x: [n 2*D] Unit", "split(x, n (D 2) -> 1 D n)", "[1 D n] Unit", 2),
        ("x: [n 2h]", "split(x, n 2h -> n h)", "[n h]", 2),
        ("x: [4 n C] Prob over C", "split(x, (2 k) n C -> C k n, k=2)", "[C k n] Prob over C", 2),
    ],
)
def test_split_types(parameters: str, expression: str, each: str, count: int) -> None:
    names = ", ".join(f"r{i}" for i in range(count))
    for i in range(count):
        body = f"\n    {names} = {expression}\n    return r{i}"
        assert type_of(parameters, body) == each


def test_names_stay_in_scope() -> None:
    body = """
    y = rearrange(x, b n (heads d) -> b heads n d, heads=12)
    z = softmax(y, over=d)
    mask = causal[n m]
    return rearrange(z / sqrt(d), b heads n d -> b n (heads d)) as [b n heads*d]"""
    assert refused("x: [b n D]", body)[:2] == ("E0301", "m")
    assert type_of("x: [b n D]", body.replace("[n m]", "[n n]")).startswith("[b n 768]")


def test_a_name_is_new_only_once_the_operation_checks() -> None:
    body = "\n    y = rearrange(x, b n q -> b r)\n    return q"
    codes = [d.code for d in checked("x: [b n D]", body).diagnostics]
    assert codes == ["E0405"]


def test_attention() -> None:
    body = """
    q, k, v = x @ w |> split(b n (3 H Dh) -> b H n Dh)
    scores = einsum(q, k: b H n Dh, b H m Dh -> b H n m) / sqrt(Dh)
    mixed = einsum(softmax(scores, over=m), v: b H n m, b H m Dh -> b H n Dh)
    return rearrange(mixed, b H n Dh -> b n (H Dh)) @ w_o"""
    assert type_of("x: [b n D], w: [D 3*D], w_o: [D D]", body) == "[b n D]"


def test_pipes_and_holes() -> None:
    assert type_of("x: [b n D]", "x |> rearrange(b n D -> b D n) |> reduce(b D n -> D, mean)") == "[D]"
    assert type_of("x: [b n D], w: [D E]", "w |> einsum(x, _: b n D, D e -> b n e)") == "[b n e]"
    assert type_of("x: [b n D], w: [D E]", "x |> einsum(w: b n D, D e -> b n e)") == "[b n e]"


def test_an_axis_may_have_the_name_of_any_parameter() -> None:
    assert (
        type_of("t: [b n 12]", "rearrange(t, b n (x operands) -> b n x operands, x=3)") == "[b n x operands]"
    )


def test_sizes_that_only_run_time_knows() -> None:
    assert type_of("x: [n D], count: int", "repeat(x, n D -> n k D, k=count)") == "[n k D]"
    body = "\n    y = rearrange(x, n (h d) -> h n d, h=heads)\n    return rearrange(y, h n d -> n (h d))"
    assert type_of("x: [n D], heads: int", body) == "[n (h d)]"
    program = checked("x: [n D], heads: int", "rearrange(x, n (h d) -> n d h, h=heads)")
    assert [str(a.size) for a in program.bodies["f"].body.returns.axes] == ["n", "?d", "?h"]  # type: ignore[union-attr]
    unmoved = "rearrange(x, n (h d) -> (h d) n, h=heads)"
    assert str(checked("x: [n D], heads: int", unmoved).bodies["f"].body.returns.axes[0].size) == "D"  # type: ignore[union-attr]


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "expression", "code", "at", "says"),
    [
        (
            "x: [b n D]",
            "rearrange(x, b i H -> b i H)",
            "E0401",
            "H",
            "axis 3 of the operand is D = 768, not H = 12",
        ),
        (
            "x: [b n m]",
            "rearrange(x, b n D -> b n D)",
            "E0401",
            "D",
            "axis 3 of the operand is m, not D = 768",
        ),
        ("x: [b n 4]", "rearrange(x, b n 5 -> b n 5)", "E0401", "5", "axis 3 of the operand is 4, not 5"),
        ("x: [n 4]", "rearrange(x, n d -> n d, d=5)", "E0401", "d", "axis 2 of the operand is 4, not d = 5"),
        (
            "x: [b n 512]",
            "rearrange(x, b n (p q c) -> b n p q c, p=16, q=16, c=3)",
            "E0401",
            "(p q c)",
            "(p q c) = 16*16*3 = 768, not 512",
        ),
        ("x: [n D]", "rearrange(x, n (H 4) -> n H 4)", "E0401", "(H 4)", "(H 4) = 12*4 = 48, not D = 768"),
        (
            "x: [n m]",
            "rearrange(x, i (n 3) -> i n 3)",
            "E0401",
            "(n 3)",
            "(n 3) = 3*n, which is not known to equal m",
        ),
        (
            "x: [n D]",
            "rearrange(x, n 5h -> n h 5)",
            "E0402",
            "5h",
            "(h 5) can't be D = 768, which 5 doesn't divide",
        ),
        (
            "x: [n m]",
            "rearrange(x, n (h 4) -> n h 4)",
            "E0402",
            "(h 4)",
            "(h 4) can't be m, which 4 doesn't divide",
        ),
        (
            "x: [n D]",
            "rearrange(x, n -> n)",
            "E0403",
            "n",
            "the pattern names 1 axis, and the operand is [n D]",
        ),
        ("x: []", "rearrange(x, n -> n)", "E0403", "n", "the pattern names 1 axis, and the operand is []"),
        ("x: Real", "rearrange(x, n -> n)", "E0403", "x", "may have any number"),
        ("x: [n D]", "rearrange(x, n D -> n E)", "E0405", "E", "`E` isn't left of `->`"),
        ("x: [n D]", "rearrange(x, n D -> n D, D=768)", "E0406", "D", "`D` has a size already: D = 768"),
        ("x: [n D]", "rearrange(x, n D -> n D, n=4)", "E0406", "n", "`n` is an axis already"),
        (
            "x: [n D]",
            "rearrange(x, n (h d) -> n h d, hh=4)",
            "E0406",
            "hh",
            "`hh` isn't a name of the pattern",
        ),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d, h=0)", "E0406", "0", "at least 1"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d, h=-1)", "E0406", "-1", "at least 1"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d, h=2.0)", "E0406", "2.0", "this is float"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d, h=x)", "E0406", "x", "this is [n D]"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d, h=4, h=5)", "E0406", "h=5", "given twice"),
        (
            "x: [n D]",
            "rearrange(x, x, n D -> n D)",
            "E0406",
            "x",
            "has 2 tensors, and the pattern describes one",
        ),
        ("x: [n D]", "rearrange(n D -> D n)", "E0406", "n D -> D n", "has no tensor"),
        ("x: [n D]", "rearrange(x, n D -> n)", "E0407", "D", "`D` isn't right of `->`"),
        ("x: [n 3]", "rearrange(x, n 3 -> n)", "E0407", "3", "`3` isn't right of `->`"),
        ("x: [n 3]", "rearrange(x, n 3 -> n 3 3)", "E0407", "3", "no 3 is left of `->`"),
        ("x: [n n]", "rearrange(x, n n -> n)", "E0407", "n", "twice"),
        ("x: [n D]", "rearrange(x, n D -> n D n)", "E0407", "n", "twice"),
        ("x: [n D]", "rearrange(x, n ((H 2) Dh) -> n)", "E0407", "(H 2)", "can't be inside another one"),
        ("x: [n D]", "rearrange(x, n (16i j) -> n i)", "E0407", "16i", "can't be inside another one"),
        ("x: [n D]", "rearrange(x, n D -> n 0 D)", "E0407", "0", "at least 1"),
        ("x: [n D]", "rearrange(x)", "E0407", "rearrange", "needs a pattern"),
        ("x: [n D]", "rearrange(x, n D -> n D, n D -> D n)", "E0407", "n D -> D n", "one pattern"),
        ("x: [b n D]", "rearrange(x, b D n -> b n D)", "E0408", "D", "`D` is axis 3 of the operand"),
        ("x: [b n D]", "rearrange(x, b (h d) n -> b n h d)", "E0408", "n", "`n` is axis 2 of the operand"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d)", "E0409", "(h d)", "`h` and `d` are new"),
        ("x: [n D]", "rearrange(x, n (h i d) -> n h i d)", "E0409", "(h i d)", "`h`, `i` and `d` are new"),
        ("x: [n D]", 'rearrange("x", n D -> D n)', "E0412", '"x"', "a string"),
        ("x: [n D]", "repeat(x, n D -> n k D)", "E0409", "k", "nothing says the size of `k`"),
        ("x: [n D]", "repeat(x, n D -> n 2)", "E0407", "D", "`repeat` keeps every axis"),
        ("x: [n D]", "reduce(x, n D -> n)", "E0406", "reduce", "needs the reduction"),
        ("x: [n D]", "reduce(x, n D -> n, median)", "E0406", "median", "no reduction that `reduce` knows"),
        ("x: [n D]", "reduce(x, n D -> n, 3)", "E0406", "3", "one of the words"),
        ("x: [n D]", "reduce(x, n D -> n, any)", "E0501", "x", "`any` takes a Mask"),
        ("x: [n D] Mask", "reduce(x, n D -> n, mean)", "E0501", "x", "`mean` takes numbers"),
        (
            "x: [n D], y: [D]",
            "einsum(x, y: n D, (D) -> n)",
            "E0407",
            "(D)",
            "names only, and this is a group",
        ),
        (
            "x: [n D], y: [D]",
            "einsum(x, y: n D, 768 -> n)",
            "E0407",
            "768",
            "names only, and this is a number",
        ),
        (
            "x: [n D], y: [D]",
            "einsum(x, y: n D -> n)",
            "E0406",
            "y",
            "has 2 tensors, and the pattern describes one",
        ),
        ("x: [n D], y: [D]", "einsum(x, y: n D, D -> q)", "E0405", "q", "`q` isn't left of `->`"),
        (
            "x: [n D], y: [H]",
            "einsum(x, y: i d, d -> i)",
            "E0401",
            "d",
            "axis 1 of the operand is H = 12, not d = D = 768",
        ),
        ("x: [n D], y: [D] f64", "einsum(x, y: n D, D -> n)", "E0502", "y", "f32 and f64"),
        ("x: [n D], y: [D] Mask", "einsum(x, y: n D, D -> n)", "E0505", "y", "this is a Mask"),
        ("x: [b n m], v: [b m D]", "einsum(x, v: b n m, b D m -> b n D)", "E0408", "D", "`D` is axis 3"),
        ("x: [n 12]", "split(x, n e -> n e)", "E0407", "n e", "there is none"),
        ("x: [n 12]", "split(x, n (3 4) -> n)", "E0407", "4", "there are 2"),
        ("x: [n 12]", "split(x, n (3 e) -> n e 3)", "E0407", "3", "none of them has an axis of it"),
        ("x: [n 12]", "split(x, n (3 e) -> n)", "E0407", "e", "`split` keeps every axis"),
        ("x: [n 12]", "split(x, n (5 e) -> n e)", "E0402", "(5 e)", "5 doesn't divide"),
        ("x: [n 12]", "rearrange(x, n x -> x n)", "E0303", "x", "`x` is a value here"),
    ],
)
def test_what_is_refused(parameters: str, expression: str, code: str, at: str, says: str) -> None:
    found = refused(parameters, expression)
    assert found[:2] == (code, at)
    assert says in found[2]


@pytest.mark.parametrize(
    ("parameters", "expression", "help"),
    [
        (
            "x: [b n D]",
            "rearrange(x, b D n -> b n D)",
            "its order is b n D; if the pattern's is meant, reorder it first with rearrange(x, b n D -> b D n)",
        ),
        ("x: [b n D]", "x |> rearrange(b D n -> b n D)", "rearrange(b n D -> b D n)"),
        ("x: [b 196 D]", "rearrange(x, b D k -> b k D)", "rearrange(x, b 196 D -> b D 196)"),
        ("x: [b n D]", "rearrange(x, b n D -> b D)", "reduce(x, b n D -> b D, sum)"),
        ("x: [b n D]", "x |> rearrange(b n D -> b D)", "reduce(b n D -> b D, sum)"),
        ("x: [n D]", "rearrange(x, n (h d) -> n h d)", "give all but one of them a size: h=8"),
        ("x: [n m]", "rearrange(x, n (h 4) -> n h 4)", "write the axis as (h 4) in the parameter's type"),
        ("x: [n D]", "rearrange(x, n ((H 2) Dh) -> n)", "(H 2 Dh)"),
        ("x: [n heads]", "rearrange(x, n heads -> n head)", "did you mean `heads`?"),
        ("x: [n D]", "rearrange(x, n (heads d) -> n heads d, head=4)", "did you mean `heads`?"),
        ("x: [n D]", "reduce(x, n D -> n, maxx)", "did you mean `max`?"),
        ("x: [n D], y: [D] f64", "einsum(x, y: n D, D -> n)", "y to f32"),
    ],
)
def test_helps_end_in_what_can_be_pasted(parameters: str, expression: str, help: str) -> None:
    assert (refusal(parameters, expression).help or "").endswith(help)


def test_the_number_of_names_is_the_number_of_results() -> None:
    body = "\n    a, b = split(x, n (3 e) -> n e)\n    return a"
    assert refused("x: [n 12]", body)[0] == "E0411"
    assert refused("x: [n 12]", "\n    a = split(x, n (3 e) -> n e)\n    return a")[0] == "E0411"


def test_a_size_too_large() -> None:
    big = "9223372036854775807"
    assert refused("x: [n]", f"repeat(x, n -> (n {big} {big} {big}))")[0] == "E0414"


# --- flows -------------------------------------------------------------------------------------------------


def flows(parameters: str, expression: str) -> tuple[tuple[tuple[Flow, ...], ...], ...]:
    (statement,) = checked(parameters, expression).bodies["f"].body.statements
    assert isinstance(statement, ReturnValue)
    assert isinstance(statement.value, Apply)
    return statement.value.operation.flows(statement.value)


@pytest.mark.parametrize(
    ("parameters", "expression", "expected"),
    [
        ("x: [b n]", "rearrange(x, b n -> n b)", (((Kept(1),), (Kept(0),)),)),
        ("x: [b n]", "rearrange(x, b n -> (b n))", (((Grouped(0, 0),), (Grouped(0, 1),)),)),
        (
            "x: [n D]",
            "rearrange(x, n (H Dh) -> H n Dh)",
            (((Kept(1),), (Grouped(0, 0, split=True), Grouped(2, 1, split=True))),),
        ),
        ("x: [n D]", "rearrange(x, n (H Dh) -> (H Dh) n)", (((Kept(1),), (Kept(0),)),)),
        (
            "x: [n D]",
            "rearrange(x, n (H Dh) -> H (n Dh))",
            (((Grouped(1, 0),), (Grouped(0, 0, split=True), Regrouped(1, 1, 1))),),
        ),
        ("x: [n 1]", "rearrange(x, n 1 -> n)", (((Kept(0),), (Selected(None),)),)),
        ("x: [n]", "repeat(x, n -> k n, k=2)", (((Kept(1),),),)),
        ("x: [n m]", "reduce(x, n m -> m, max)", (((Reduced("max"),), (Kept(0),)),)),
        (
            "x: [D]",
            "reduce(x, (H Dh) -> H, mean)",
            (((Grouped(0, 0, split=True), Reduced("mean")),),),
        ),
        (
            "x: [b n d], y: [b m d]",
            "einsum(x, y: b n d, b m d -> b n m)",
            (((Kept(0),), (Kept(1),), (Contracted(1, 2),)), ((Kept(0),), (Kept(2),), (Contracted(0, 2),))),
        ),
        ("x: [b n]", "einsum(x: b n -> n)", (((Reduced("sum"),), (Kept(0),)),)),
        ("x: [n 2]", "split(x, n 2 -> n)", (((Kept(0),), (Selected(None),)),)),
        ("x: [n], count: int", "repeat(x, n -> n k, k=count)", (((Kept(0),),), ())),
    ],
)
def test_what_becomes_of_axes(
    parameters: str, expression: str, expected: tuple[tuple[tuple[Flow, ...], ...], ...]
) -> None:
    assert flows(parameters, expression) == expected


def test_what_a_part_of_an_empty_axis_is_has_to_be_said() -> None:
    text = """\
fn f(x: [n 3]):
    y = x[:, 1:1] |> rearrange(n e -> e n)
    return y |> rearrange((e q) n -> e q n)
"""
    (told,) = Checker().check("f.ss", text).diagnostics
    assert (told.code, told.help) == ("E0409", "give it a size: q=1")
