"""What formulas say: the trees that are drawn from."""

from __future__ import annotations

import pytest

from shapescript_syntax.math import symbols
from shapescript_syntax.math.finding import Math
from shapescript_syntax.math.formulas import read_math
from shapescript_syntax.math.tree import (
    Accent,
    Fenced,
    Fraction,
    Grid,
    Node,
    Operator,
    Root,
    Row,
    Scripts,
    Space,
    Styled,
    Symbol,
    Text,
)
from shapescript_syntax.records import fields_of
from shapescript_syntax.spans import Span


def tree(latex: str, start: int = 0) -> Row:
    formula = read_math(Math(Span(start - 1, start + len(latex) + 1), latex, False))
    assert formula.tree is not None, formula.hints
    return formula.tree


def sketch(node: Node | None) -> str:
    """A tree in one line."""
    match node:
        case None:
            return "-"
        case Symbol(text=text):
            return text
        case Space(width=width):
            return f"<{width}>"
        case Operator(text=text, large=large, limits=limits):
            return text + ("!" if large else "") + ("^" if limits else "")
        case Row(items=items):
            return "[" + " ".join(sketch(item) for item in items) + "]"
        case Scripts(base=base, primes=primes, superscript=above, subscript=below):
            return f"scripts({sketch(base)} {primes} {sketch(above)} {sketch(below)})"
        case Fraction(numerator=a, denominator=b, displayed=displayed):
            return f"{'large ' if displayed else ''}{sketch(a)}/{sketch(b)}"
        case Root(index=index, radicand=radicand):
            return f"root({sketch(index)} {sketch(radicand)})"
        case Accent(name=name, body=body) | Styled(style=name, body=body):
            return f"{name}({sketch(body)})"
        case Text(parts=parts):
            return "".join(repr(part) if isinstance(part, str) else sketch(part) for part in parts)
        case Fenced(left=left, right=right, body=body):
            return f"fenced({left} {sketch(body)} {right})"
        case Grid(name=name, rows=rows):
            return f"{name}(" + "; ".join(" & ".join(map(sketch, row)) for row in rows) + ")"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("x + 2y - z*w", "[x + 2 y − z ∗ w]"),
        ("\\alpha\\beta\\varphi\\Omega", "[α β φ Ω]"),
        ("a \\le b \\ne c \\in D", "[a ≤ b ≠ c ∈ D]"),
        ("x \\to \\infty", "[x → ∞]"),
        ("\\{x\\} \\| \\langle y \\rangle", "[{ x } ‖ ⟨ y ⟩]"),
        ("\\lvert x \\rVert", "[| x ‖]"),
        ("5\\% \\# \\_ \\& \\$", "[5 % # _ & $]"),
        ("A ⊆ B", "[A ⊆ B]"),
        ("{a{b}}", "[[a [b]]]"),
        ("", "[]"),
    ],
)
def test_symbols_and_groups(latex: str, drawn: str) -> None:
    assert sketch(tree(latex)) == drawn


def test_symbols_know_how_they_are_spaced() -> None:
    kinds = [item.kind for item in tree("x=(a+\\gamma),\\cup\\to").items if isinstance(item, Symbol)]
    assert kinds == [
        symbols.ORDINARY,
        symbols.RELATION,
        symbols.OPENING,
        symbols.ORDINARY,
        symbols.BINARY,
        symbols.ORDINARY,
        symbols.CLOSING,
        symbols.PUNCTUATION,
        symbols.BINARY,
        symbols.RELATION,
    ]


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("x^2", "[scripts(x 0 2 -)]"),
        ("x_i^2", "[scripts(x 0 2 i)]"),
        ("x^{n+1}_{i j}", "[scripts(x 0 [n + 1] [i j])]"),
        ("x^12", "[scripts(x 0 1 -) 2]"),
        ("f''", "[scripts(f 2 - -)]"),
        ("f'^2_i", "[scripts(f 1 2 i)]"),
        ("f_i'", "[scripts(f 1 - i)]"),
        ("{}^2 {x^a}^b", "[scripts([] 0 2 -) scripts([scripts(x 0 a -)] 0 b -)]"),
        ("^2", "[scripts(- 0 2 -)]"),
        ("x^\\alpha_\\text{in}", "[scripts(x 0 α 'in')]"),
        ("\\sum_{i=1}^n \\int_0^1 \\prod", "[scripts(∑!^ 0 n [i = 1]) scripts(∫! 0 1 0) ∏!^]"),
        (
            "\\lim_{x \\to 0} \\log_2 \\max_i",
            "[scripts(lim^ 0 - [x → 0]) scripts(log 0 - 2) scripts(max^ 0 - i)]",
        ),
        ("\\argmax \\softmax x", "[argmax^ softmax x]"),
        ("\\operatorname{arg\\,min} x", "[arg min x]"),
        ("\\operatorname*{top-k}_k", "[scripts(top-k^ 0 - k)]"),
    ],
)
def test_scripts_and_operators(latex: str, drawn: str) -> None:
    assert sketch(tree(latex)) == drawn


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("\\frac{a}{b}", "[[a]/[b]]"),
        ("\\frac12 3", "[1/2 3]"),
        ("\\dfrac ab", "[large a/b]"),
        ("\\frac{1}{\\sqrt{d}}", "[[1]/[root(- [d])]]"),
        ("\\sqrt[3]{x} \\sqrt x", "[root([3] [x]) root(- x)]"),
        ("\\sqrt[{]}]{x}", "[root([[]]] [x])]"),
        ("[0, 1]", "[[ 0 , 1 ]]"),
        ("\\hat x \\bar{y} \\overline{ab}", "[hat(x) bar([y]) overline([a b])]"),
        ("\\hat x_i", "[scripts(hat(x) 0 - i)]"),
        ("\\mathbb{R}^n \\mathbf x \\mathcal{L}", "[scripts(mathbb([R]) 0 n -) mathbf(x) mathcal([L])]"),
        ("\\left( x \\right]", "[fenced(( [x] ])]"),
        ("\\left. x \\right|_0", "[scripts(fenced( [x] |) 0 - 0)]"),
        ("\\left\\{ \\left\\lfloor x \\right\\rfloor \\right\\|", "[fenced({ [fenced(⌊ [x] ⌋)] ‖)]"),
        ("a \\, b \\! c \\qquad d~e", "[a <3> b <-3> c <36> d <6> e]"),
    ],
)
def test_fractions_roots_accents_and_delimiters(latex: str, drawn: str) -> None:
    assert sketch(tree(latex)) == drawn


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("\\text{if  the mean}", "['if the mean']"),
        ("\\text{a {b} \\$ \\{ \\alpha\\, c}", "['a b $ { α c']"),
        ("\\text{for $i > 0$ only}", "['for '[i > 0]' only']"),
        ("x_\\text{in} \\text a", "[scripts(x 0 - 'in') 'a']"),
        ("\\text{}", "[]"),
    ],
)
def test_words(latex: str, drawn: str) -> None:
    assert sketch(tree(latex)) == drawn


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        ("\\begin{matrix} a & b \\\\ c & d \\end{matrix}", "[matrix([a] & [b]; [c] & [d])]"),
        ("\\begin{pmatrix}a\\\\b\\\\\\end{pmatrix}", "[pmatrix([a]; [b])]"),
        ("\\begin{bmatrix} & \\\\ & a\\end{bmatrix}", "[bmatrix([] & []; [] & [a])]"),
        ("\\begin{cases} 1 & x > 0 \\\\ 0 \\end{cases}", "[cases([1] & [x > 0]; [0])]"),
        ("\\begin{aligned} a &= b \\\\ &= c \\end{aligned}", "[aligned([a] & [= b]; [] & [= c])]"),
        ("\\begin{vmatrix} \\end{vmatrix}", "[vmatrix([])]"),
        (
            "\\begin{matrix} \\begin{matrix} a & b \\end{matrix} & c \\end{matrix}^2",
            "[scripts(matrix([matrix([a] & [b])] & [c]) 0 2 -)]",
        ),
    ],
)
def test_environments(latex: str, drawn: str) -> None:
    assert sketch(tree(latex)) == drawn


@pytest.mark.parametrize("name", sorted(symbols.COMMANDS))
def test_every_command_can_be_used(name: str) -> None:
    special = {
        "frac": "{a}{b}",
        "dfrac": "{a}{b}",
        "left": "( x \\right)",
        "begin": "{matrix} a \\end{matrix}",
        "\\": None,
        "right": None,
        "end": None,
    }
    after = special.get(name, "{x}")
    if after is not None:
        assert tree(f"\\{name}{after}").items


@pytest.mark.parametrize("name", sorted(symbols.ENVIRONMENTS))
def test_every_environment_can_be_used(name: str) -> None:
    (grid,) = tree(f"\\begin{{{name}}} a & b \\\\ c & d \\end{{{name}}}").items
    assert isinstance(grid, Grid)
    assert (grid.name, len(grid.rows)) == (name, 2)


@pytest.mark.parametrize("delimiter", sorted(symbols.DELIMITERS))
def test_every_delimiter_can_be_used(delimiter: str) -> None:
    (fenced,) = tree(f"\\left{delimiter} x \\right{delimiter}").items
    assert isinstance(fenced, Fenced)
    assert fenced.left == fenced.right == symbols.DELIMITERS[delimiter]


def test_spans_are_where_things_are_written() -> None:
    latex = "\\frac{a}{\\sqrt{b}} + x_i^{2} \\left( y \\right) \\text{so} \\hat z"
    row = tree(latex, 100)
    written = [latex[item.span.start - 100 : item.span.end - 100] for item in row.items]
    assert written == [
        "\\frac{a}{\\sqrt{b}}",
        "+",
        "x_i^{2}",
        "\\left( y \\right)",
        "\\text{so}",
        "\\hat z",
    ]
    check_nesting(row)


def check_nesting(node: Node) -> None:
    """Every node is inside the one that it is a part of."""
    for name in fields_of(node) or ():
        for part in parts(getattr(node, name)):
            assert node.span.start <= part.span.start <= part.span.end <= node.span.end
            check_nesting(part)


def parts(value: object) -> list[Node]:
    if isinstance(value, tuple) and not isinstance(value, Span):
        return [part for item in value for part in parts(item)]
    return [value] if fields_of(value) else []  # type: ignore[list-item]
