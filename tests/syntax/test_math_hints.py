"""Hints about math in comments: LaTeX that isn't supported (H0601), and math that can't be read (H0602)."""

from __future__ import annotations

import pytest

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.math import math_hints
from shapescript_syntax.math.finding import find_math
from shapescript_syntax.math.formulas import read_math
from shapescript_syntax.parsing.files import parse_chunk


def hints(text: str) -> tuple[Diagnostic, ...]:
    return math_hints(text, parse_chunk(text).comments)


def marked(latex: str) -> list[tuple[str, str]]:
    """The codes of the hints about a formula, and what they point at."""
    text = f"dim D = 2  # so $${latex}$$.\n"
    return [(hint.code, text[hint.span.start : hint.span.end]) for hint in hints(text)]


def only(latex: str) -> Diagnostic:
    (hint,) = hints(f"# ${latex}$\n")
    return hint


def fixed(latex: str) -> str:
    """A formula after its only hint's fix."""
    text = f"# ${latex}$\n"
    (hint,) = hints(text)
    ((span, new),) = hint.fixes[0].edits
    mended = text[: span.start] + new + text[span.end :]
    assert hints(mended) == ()
    return mended.strip("# $\n")


def test_math_in_the_subset_gives_none() -> None:
    text = """\
## Attention: $$
## \\softmax\\left( \\frac{Q K^T}{\\sqrt{d_k}} \\right) V,
## $$
## where $Q \\in \\mathbb{R}^{n \\times d}$ costs \\$5 or $6.
fn f(x: [n]) -> [n] = x  # $x_i \\mapsto \\hat{x}_i$
"""
    assert hints(text) == ()


def test_text_without_dollars_is_not_looked_at() -> None:
    assert hints("# 5 \\foo { _ }\ndim D = 2\n") == ()
    assert hints("# costs $5, \\foo { and $6\ndim D = 2\n") == ()


# --- H0601 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("latex", "places"),
    [
        ("\\sofmax(x)", ["\\sofmax"]),
        ("\\frac{\\foo}{\\bar{\\baz}}", ["\\foo", "\\baz"]),
        ("x \\foo y \\foo", ["\\foo", "\\foo"]),
        ("\\text{the \\emph{mean}}", ["\\emph"]),
        ("a\\ b", ["\\ "]),
        ("\\foo{a}{b}[c]", ["\\foo"]),
        ("\\left\\lbrace x \\right\\rbrace", ["\\lbrace", "\\rbrace"]),
        ("\\begin{align*} a &= b \\\\ &= c \\end{align*}", ["align*"]),
        ("\\begin{array}{cc} a & b \\end{array}", ["array"]),
    ],
)
def test_commands_and_environments_outside_the_subset(latex: str, places: list[str]) -> None:
    assert marked(latex) == [("H0601", place) for place in places]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("\\sofmax x", "\\softmax x"),
        ("\\lamda", "\\lambda"),
        ("\\Softmax", "\\softmax"),
        ("\\fracc{a}{b}", "\\frac c{a}{b}"),
        ("a \\timesb", "a \\times b"),
        ("\\begin{pmatirx} a \\end{pmatrix}", "\\begin{pmatrix} a \\end{pmatrix}"),
        ("\\leq", "\\le"),
        ("\\rightarrow", "\\to"),
        ("\\widehat{x}", "\\hat{x}"),
        ("\\operatornam{x}", "\\operatorname{x}"),
        ("\\sup_x", "\\operatorname{sup}_x"),
        ("A \\subseteq B", "A ⊆ B"),
        ("\\Alpha", "A"),
    ],
)
def test_what_was_meant_is_suggested(wrong: str, right: str) -> None:
    assert fixed(wrong) == right


def test_a_suggestion_can_be_pasted() -> None:
    assert only("\\sofmax").help == "did you mean `\\softmax`?"
    assert only("\\leq").help == "write `\\le`"
    assert only("\\sofmax").message == "math in comments has no command `\\sofmax`"


@pytest.mark.parametrize("name", ["zzzzzzzz", "displaystyle", "@"])
def test_what_is_like_nothing_gets_no_suggestion(name: str) -> None:
    assert only(f"\\{name}").help is None
    assert only(f"\\{name}").fixes == ()


# --- H0602 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("latex", "place", "message"),
    [
        ("\\frac{1}{\\sqrt{D}", "{", "this `{` is never closed"),
        ("{a", "{", "this `{` is never closed"),
        ("a}", "}", "this `}` closes nothing"),
        ("\\text{a {b}", "{", "this `{` is never closed"),
        ("\\text{a $b}", "$", "this `$` is never closed"),
        ("\\sqrt[3{x}", "[", "this `[` is never closed"),
        ("\\frac{a}", "\\frac", "this `\\frac` has no denominator"),
        ("\\frac", "\\frac", "this `\\frac` has no numerator"),
        ("{\\dfrac a} b", "\\dfrac", "this `\\dfrac` has no denominator"),
        ("\\sqrt", "\\sqrt", "this `\\sqrt` has no radicand"),
        ("\\sqrt[3]", "\\sqrt", "this `\\sqrt` has no radicand"),
        ("{\\hat} x", "\\hat", "this `\\hat` has no argument"),
        ("\\mathbb", "\\mathbb", "this `\\mathbb` has no argument"),
        ("\\operatorname", "\\operatorname", "this `\\operatorname` has no name"),
        ("\\text", "\\text", "this `\\text` has no text"),
        ("\\text \\alpha", "\\text", "this `\\text` has no text"),
        ("x^", "^", "this `^` has no superscript"),
        ("x_ ^2", "_", "this `_` has no subscript"),
        ("x^a^b", "^", "a second superscript on the same base"),
        ("x_a^b_c", "_", "a second subscript on the same base"),
        ("x^2'", "'", "a second superscript on the same base"),
        ("x'_i'", "'", "a second superscript on the same base"),
        ("a & b", "&", "this `&` is in no environment"),
        ("a \\\\ b", "\\\\", "this `\\\\` is in no environment"),
        ("\\left( x", "\\left", "this `\\left` has no `\\right`"),
        ("\\left( {x \\right)", "{", "this `{` is never closed"),
        ("{\\left( x}", "\\left", "this `\\left` has no `\\right`"),
        ("x \\right)", "\\right", "this `\\right` has no `\\left`"),
        ("\\left x \\right)", "\\left", "this `\\left` has no delimiter"),
        ("\\left( x \\right", "\\right", "this `\\right` has no delimiter"),
        ("\\begin{matrix} a", "\\begin{matrix}", "this environment has no `\\end{matrix}`"),
        ("\\begin matrix", "\\begin", "this `\\begin` has no environment's name"),
        ("\\begin{matrix} a \\end", "\\end", "this `\\end` has no environment's name"),
        ("a \\end{matrix}", "\\end", "this `\\end` has no `\\begin`"),
        ("\\begin{matrix} a \\end{cases}", "\\end{cases}", "`\\end{cases}` can't end `\\begin{matrix}`"),
        (
            "\\begin{cases} \\begin{matrix} a \\end{cases}",
            "\\begin{matrix}",
            "this environment has no `\\end{matrix}`",
        ),
        ("\\begin{matrix} {a & b} \\end{matrix}", "{", "this `{` is never closed"),
        ("a $b", "$", "a `$` inside displayed math"),
    ],
)
def test_malformed_math(latex: str, place: str, message: str) -> None:
    assert marked(latex) == [("H0602", place)]
    (hint,) = hints(f"dim D = 2  # $${latex}$$\n")
    assert hint.message == message


def test_the_first_of_two_scripts_is_labelled() -> None:
    text = "# $x^a_c^b$\n"
    (hint,) = hints(text)
    assert hint.span.start == text.rindex("^")
    assert [label.span.start for label in hint.labels if label.span] == [text.index("^")]


@pytest.mark.parametrize(
    "latex", ["{" * 5000, "{" * 41 + "}" * 41, "\\hat" * 200 + " x", "x^{" * 100, "\\sqrt[" * 99]
)
def test_deep_nesting_is_malformed(latex: str) -> None:
    assert [code for code, _ in marked(latex)] == ["H0602"]


def test_ordinary_nesting_is_not() -> None:
    assert marked("{" * 40 + "}" * 40) == []


# --- both --------------------------------------------------------------------------------------------------


def test_each_formula_is_judged_by_itself() -> None:
    text = "# $\\foo$ and ${$ and $x$\n# $$\\oops\n# {$$\n"
    assert [(h.code, text[h.span.start : h.span.end]) for h in hints(text)] == [
        ("H0601", "\\foo"),
        ("H0602", "{"),
        ("H0601", "\\oops"),
    ]


def test_what_follows_an_unknown_command_is_not_judged() -> None:
    assert marked("\\substack{a \\\\ b}") == [("H0601", "\\substack")]
    assert marked("\\frac{1}{\\sofmax(x)") == [("H0602", "{"), ("H0601", "\\sofmax")]


def test_math_that_has_hints_is_shown_as_written() -> None:
    text = "# $x$ and $\\foo$ and $\\frac{a}$\n"
    formulas = [read_math(math) for math in find_math(text, parse_chunk(text).comments)]
    assert [formula.tree is None for formula in formulas] == [False, True, True]


def test_spans_skip_what_begins_a_comment_line() -> None:
    text = "## $$\n##   \\frac{a}{b}\n## + \\foo_i\n## $$\ndim D = 2\n"
    (hint,) = hints(text)
    assert text[hint.span.start : hint.span.end] == "\\foo"
