"""Where math is in comments, and where dollars are only dollars."""

from __future__ import annotations

import pytest

from shapescript_syntax.chunks import cut
from shapescript_syntax.math.finding import Math, find_in, find_math
from shapescript_syntax.parsing.files import parse_chunk


def found(text: str) -> list[str]:
    """The math of a paragraph, inline as `$x$` and displayed as `$$x$$`."""
    return [shown(math) for math in find_in(text)]


def shown(math: Math) -> str:
    dollars = "$$" if math.displayed else "$"
    return f"{dollars}{math.latex}{dollars}"


def in_comments(program: str) -> list[str]:
    """The math of a program's comments, which must be where its spans say."""
    formulas = []
    for start, text in cut(program):
        for math in find_math(text, parse_chunk(text).comments):
            written = program[start + math.span.start : start + math.span.end]
            dollars = 2 if math.displayed else 1
            assert math.start == math.span.start + dollars
            assert len(written) == len(math.latex) + 2 * dollars
            assert written.startswith("$" * dollars)
            assert written.endswith("$" * dollars)
            kept = written[dollars:-dollars]
            assert all(a == b or (b == " " and a == "#") for a, b in zip(kept, math.latex, strict=True))
            formulas.append(" ".join(shown(math).split()))
    return formulas


@pytest.mark.parametrize(
    ("text", "math"),
    [
        ("the loss $-\\log p$ of a step", ["$-\\log p$"]),
        ("$a$ and $b$, or ($c$)", ["$a$", "$b$", "$c$"]),
        ("a$b$c", ["$b$"]),
        ("$a$$b$", ["$a$", "$b$"]),
        ("$$a$$", ["$$a$$"]),
        ("$$ a + b $$ where $a$ is", ["$$ a + b $$", "$a$"]),
        ("$$a\n+ b$$", ["$$a\n+ b$$"]),
        ("$$a $b c$$", ["$$a $b c$$"]),
    ],
)
def test_math_is_between_dollars(text: str, math: list[str]) -> None:
    assert found(text) == math


@pytest.mark.parametrize(
    "text",
    [
        "from $3 to $4",
        "$ a$",
        "$a $",
        "$\ta$",
        "$a\t$",
        "$a$5",
        "$20,000 or US$30,000",
        "it is $a",
        "a$",
        "$",
        "$$",
    ],
)
def test_spaces_inside_and_a_digit_after_make_dollars_text(text: str) -> None:
    assert found(text) == []


def test_dollars_that_are_text_may_still_be_followed_by_math() -> None:
    assert found("$5 and $x$") == ["$x$"]
    assert found("$a $b$") == ["$b$"]
    assert found("$$a$") == ["$a$"]
    assert found("$a$5 b$") == ["$5 b$"]


@pytest.mark.parametrize(
    ("text", "math"),
    [
        ("\\$a$", []),
        ("\\$a\\$", []),
        ("$a\\$", []),
        ("$a \\$ b$", ["$a \\$ b$"]),
        ("\\\\$a$", ["$a$"]),
        ("\\$$a$", ["$a$"]),
        ("$$ a \\$ b $$", ["$$ a \\$ b $$"]),
        ("$$a \\\\$$", ["$$a \\\\$$"]),
    ],
)
def test_an_escaped_dollar_is_a_dollar(text: str, math: list[str]) -> None:
    assert found(text) == math


@pytest.mark.parametrize(
    "text", ["$$$a$$$", "$$$$", "$$$a$", "$a$$$", "$$a$$$", "$a$$$b$", "$$$ a $$$ b $$$"]
)
def test_three_dollars_and_more_are_text(text: str) -> None:
    assert [m for m in found(text) if "a" in m] == []


@pytest.mark.parametrize("text", ["$$ $$", "$$\t$$", "$$\n$$"])
def test_displayed_math_is_not_empty(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "math"),
    [
        ("`$a$`", []),
        ("``a ` $b$``", []),
        ("`$a$` and $b$", ["$b$"]),
        ("`a $b` c$", []),
        ("$a `b$` c$", []),
        ("$$a `b$$` c$$", []),
        ("`a\n$b$ c`", []),
        ("a ` and $b$", ["$b$"]),
        ("`` and $b$ `", ["$b$"]),
        ("\\`$a$\\`", ["$a$"]),
    ],
)
def test_nothing_in_a_code_span_is_math(text: str, math: list[str]) -> None:
    assert found(text) == math


def test_nothing_in_a_fenced_block_is_math() -> None:
    assert found("```\n$a$\n\n$b$\n```\n$c$") == ["$c$"]
    assert found("~~~ python\n$a$\n~~~~\n$c$") == ["$c$"]
    assert found("~~~\n$a$\n~~~ no end\n$c$") == ["$a$", "$c$"]
    assert found("````\n$a$\n```\n$b$\n````\n$c$") == ["$c$"]
    assert found("``` $a$\n\n$b$") == ["$a$", "$b$"]


def test_inline_math_stays_on_its_line_and_displayed_math_in_its_paragraph() -> None:
    assert found("$a\nb$") == []
    assert found("$$a\nb\nc$$") == ["$$a\nb\nc$$"]
    assert found("$$a\n\nb$$") == []
    assert found("$$a\n  \nb and $$c$$") == ["$$c$$"]


def test_dollars_in_words_within_math_close_nothing() -> None:
    assert found("$x \\text{ if $y$ } z$") == ["$x \\text{ if $y$ } z$"]
    assert found("$x \\text{a {$b} \\} c} z$") == ["$x \\text{a {$b} \\} c} z$"]
    assert found("$x \\text{a$ b") == ["$x \\text{a$"]
    assert found("$x \\text{a\nb}$") == []


def test_both_kinds_of_comment_hold_math_wherever_they_are() -> None:
    program = """\
# Over all of $n$.
## Doubles $x$.
fn double(x: [n]) -> [n]:  # $b$
    # $c$
    y = x + (
        x  # $d$
        # $e$
    )
    return y
# $f$
"""
    assert in_comments(program) == ["$n$", "$x$", "$b$", "$c$", "$d$", "$e$", "$f$"]


def test_displayed_math_continues_over_comment_lines_of_one_kind() -> None:
    assert in_comments("# $$a\n# + b$$\n") == ["$$a + b$$"]
    assert in_comments("## $$a\n  ## + b\n##+ c$$\ndim D = 1\n") == ["$$a + b + c$$"]
    assert in_comments("# $$a\r\n# + b$$\r\n") == ["$$a + b$$"]
    assert in_comments("# $$a\n## + b$$\n") == []
    assert in_comments("# $$a\n#\n# + b$$\n") == []
    assert in_comments("# $$a\n#  \t\n# + b$$\n") == []
    assert in_comments("# $$a\n\n# + b$$\n") == []
    assert in_comments("# $$a\ndim D = 1\n# + b$$\n") == []


def test_a_comment_after_code_is_a_block_of_its_own() -> None:
    assert in_comments("dim D = 1  # $$a\n# b$$\n") == []
    assert in_comments("# $$a\ndim D = 1  # b$$\n") == []
    assert in_comments("dim D = 1  # $$a$$ and\ndim E = 2  # $$b$$\n") == ["$$a$$", "$$b$$"]


def test_a_code_span_ends_with_its_paragraph() -> None:
    assert in_comments("# `a\n#\n# $b$ `\n") == ["$b$"]
    assert in_comments("# `a\n# $b$ `\n") == []


def test_a_third_hash_belongs_to_the_text() -> None:
    assert in_comments("### $a$\n") == ["$a$"]
    assert in_comments("#$a$\n##$b$\n") == ["$a$", "$b$"]


def test_strings_are_no_comments() -> None:
    assert in_comments('fn f() = print("# $a$ {n}")  # $b$\n') == ["$b$"]


def test_a_doc_comments_text_can_be_searched_by_itself() -> None:
    (item,) = parse_chunk("## Where $$a\n## + b$$ is.\ndim D = 1\n").items
    doc = getattr(item, "doc", None)
    assert doc == "Where $$a\n+ b$$ is."
    assert found(doc) == ["$$a\n+ b$$"]
    assert [m.span for m in find_in("$x$", 10)] == [(10, 13)]


@pytest.mark.parametrize(
    "text",
    [
        "$\\text{" * 20_000,
        "$$ a " * 20_000,
        "$a " * 20_000,
        "$a$5" * 20_000,
        "`" * 20_000 + "$",
        "`` ` " * 20_000,
        "$a ``` `" * 20_000,
        "```a\n" * 20_000 + "$",
        "~" * 300 + "\n" + "~~~a\n" * 20_000 + "$",
        "\\" * 99_999 + "$",
    ],
)
def test_no_text_takes_more_than_a_look_at_each_character(text: str) -> None:
    """Each of these would take minutes, were anything searched again from every place it could start at."""
    assert all(math.span.end <= len(text) for math in find_in(text))
