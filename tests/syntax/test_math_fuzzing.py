"""Math made at random: nothing raises, and hints stay inside the comment that they are about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shapescript_syntax.math import math_hints
from shapescript_syntax.math.finding import Math, find_in, find_math
from shapescript_syntax.math.formulas import read_math
from shapescript_syntax.math.symbols import COMMANDS, ENVIRONMENTS
from shapescript_syntax.parsing.files import parse_chunk
from shapescript_syntax.spans import Span
from tests.syntax.test_math_trees import check_nesting

PIECES = st.sampled_from(
    [
        *(f"\\{name}" for name in sorted(COMMANDS)),
        *(f"\\begin{{{name}}}" for name in ENVIRONMENTS),
        *(f"\\end{{{name}}}" for name in ENVIRONMENTS),
        *["\\oops", "\\left(", "\\right)", "\\text{", "$$", "\n", "\n# ", "\n## ", "\r\n", "\\"],
        *"{{{}}}$$$$&^_'[]x2 `#~é",
    ]
)
TEXTS = st.lists(PIECES | st.characters(codec="utf-8"), max_size=40).map("".join)


@given(TEXTS)
def test_formulas_have_a_tree_or_hints_inside_them(latex: str) -> None:
    formula = read_math(Math(Span(7, len(latex) + 9), latex, False))
    assert (formula.tree is None) == bool(formula.hints)
    if formula.tree is not None:
        check_nesting(formula.tree)
    for hint in formula.hints:
        assert 8 <= hint.span.start < hint.span.end <= 8 + len(latex)
        for label in hint.labels:
            assert label.span is not None
            assert 8 <= label.span.start < label.span.end <= 8 + len(latex)


@given(TEXTS)
def test_hints_are_inside_comments_and_in_order(text: str) -> None:
    program = f"# {text}\nfn f(x: [n]) -> [n] = x  # {text}\n"
    comments = parse_chunk(program).comments
    hints = math_hints(program, comments)
    assert [hint.span.start for hint in hints] == sorted(hint.span.start for hint in hints)
    for hint in hints:
        assert hint.severity == "hint"
        starts = [c for c in comments if c.span.start <= hint.span.start < c.span.end]
        assert len(starts) == 1
        assert any(c.span.start < hint.span.end <= c.span.end for c in comments)


@given(TEXTS)
def test_math_is_between_dollars_and_apart(text: str) -> None:
    at = 0
    for math in find_in(text):
        assert at <= math.span.start
        at = math.span.end
        dollars = "$$" if math.displayed else "$"
        assert text[math.span.start : at] == f"{dollars}{math.latex}{dollars}"
        assert math.latex.strip()
        if not math.displayed:
            assert "\n" not in math.latex
            assert math.latex == math.latex.strip()


@given(st.lists(TEXTS, max_size=6))
def test_comment_lines_hold_what_their_text_holds(lines: list[str]) -> None:
    """Finding math in a block of comments is finding it in the text that the block says."""
    words = [" ".join(line.split()) for line in lines]
    block = "".join(f"## {line}\n" for line in words) + "dim D = 1\n"
    in_comments = [(m.latex.split(), m.displayed) for m in find_math(block, parse_chunk(block).comments)]
    in_text = [(m.latex.split(), m.displayed) for m in find_in("\n".join(words))]
    assert in_comments == in_text
