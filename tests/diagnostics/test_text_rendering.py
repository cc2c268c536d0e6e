"""What a diagnostic looks like in a terminal: each test is a picture of one."""

from __future__ import annotations

import textwrap

from shapescript_syntax.diagnostics import Diagnostic, Label
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source, Span


def picture(source: Source, diagnostic: Diagnostic) -> str:
    """What is printed, framed by line breaks so that it stands on lines of its own."""
    return "\n" + render("text", [(source, [diagnostic])])


def source(text: str, path: str = "model.ss") -> Source:
    return Source(path, textwrap.dedent(text).lstrip("\n"))


def span(source: Source, part: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(part, start + 1)
    return Span(start, start + len(part))


ATTENTION = source(
    """
    fn scores(q: [b n D],
              k: [b m D]) -> [b n m]:
        s = einsum(q, k: b n D, b m D -> b m n)
        return s
    """
)


def test_the_problem_is_underlined_and_notes_and_help_follow() -> None:
    diagnostic = Diagnostic(
        "E0408",
        "the axes are in another order than the return type's",
        span(ATTENTION, "b m n"),
        label="this is [b m n]",
        notes=("n and m are different sizes",),
        help="write `b n m`",
    )
    assert picture(ATTENTION, diagnostic) == (
        """
error[E0408]: the axes are in another order than the return type's
 --> model.ss:3:38
  |
3 |     s = einsum(q, k: b n D, b m D -> b m n)
  |                                      ^^^^^ this is [b m n]
  |
  = note: n and m are different sizes
  = help: write `b n m`

"""
    )


def test_labels_stand_at_their_places_and_the_rightmost_beside_its_own() -> None:
    diagnostic = Diagnostic(
        "E0401",
        "two sizes disagree",
        span(ATTENTION, "b m D ->"),
        label="m of `k`",
        labels=(
            Label(span(ATTENTION, "einsum"), "in this call"),
            Label(span(ATTENTION, "b n D,"), "n of `q`"),
            Label(span(ATTENTION, "[b m D]"), "declared here"),
        ),
    )
    assert picture(ATTENTION, diagnostic) == (
        """
error[E0401]: two sizes disagree
 --> model.ss:3:29
  |
2 |           k: [b m D]) -> [b n m]:
  |              ------- declared here
3 |     s = einsum(q, k: b n D, b m D -> b m n)
  |         ------       ------ ^^^^^^^^ m of `k`
  |         |            |
  |         |            n of `q`
  |         in this call
"""
        + "\n"
    )


def test_a_label_inside_the_problem_is_seen_over_it_only_where_it_is_alone() -> None:
    whole = span(ATTENTION, "b n D, b m D")
    diagnostic = Diagnostic(
        "E0401", "sides", whole, "both", labels=(Label(span(ATTENTION, "b m D ->"), "this one"),)
    )
    assert picture(ATTENTION, diagnostic) == (
        """
error[E0401]: sides
 --> model.ss:3:22
  |
3 |     s = einsum(q, k: b n D, b m D -> b m n)
  |                      ^^^^^^^^^^^^--- this one
  |                      |
  |                      both

"""
    )


def test_a_problem_over_several_lines_is_a_bar_at_their_left() -> None:
    start = span(ATTENTION, "q:").start
    end = span(ATTENTION, "D])").end
    diagnostic = Diagnostic("E0304", "too many", Span(start, end), "these")
    assert picture(ATTENTION, diagnostic) == (
        """
error[E0304]: too many
 --> model.ss:1:11
  |
1 |   fn scores(q: [b n D],
  |  ___________^
2 | |           k: [b m D]) -> [b n m]:
  | |_____________________^ these

"""
    )


def test_a_bar_over_many_lines_leaves_out_the_middle() -> None:
    long = source("fn f():\n" + "".join(f"    x{n} = {n}\n" for n in range(1, 12)))
    diagnostic = Diagnostic(
        "W0301", "nothing is returned", Span(0, len(long.text)), labels=(Label(span(long, "x6"), "here"),)
    )
    assert picture(long, diagnostic) == (
        """
warning[W0301]: nothing is returned
  --> model.ss:1:1
   |
 1 | / fn f():
 2 | |     x1 = 1
...  |
 7 | |     x6 = 6
   | |     -- here
...  |
11 | |     x10 = 10
12 | |     x11 = 11
   | |____________^

"""
    )


def test_one_hidden_line_is_shown_rather_than_dots() -> None:
    text = source("a\nb\nc\n")
    diagnostic = Diagnostic("H0101", "two places", Span(4, 5), labels=(Label(Span(0, 1), "first"),))
    assert picture(text, diagnostic) == (
        """
hint[H0101]: two places
 --> model.ss:3:1
  |
1 | a
  | - first
2 | b
3 | c
  | ^

"""
    )


def test_wide_and_combining_characters_and_tabs_keep_the_underline_in_place() -> None:
    text = Source("model.ss", 'x = "漢字", e\u0301\u0323 + y\n\tz = y\n')
    first = Diagnostic("E0301", "unknown name `y`", span(text, "y"))
    assert picture(text, first) == (
        """
error[E0301]: unknown name `y`
 --> model.ss:1:17
  |
1 | x = "漢字", e\u0301\u0323 + y
  |                 ^

"""
    )
    second = Diagnostic("E0103", "a tab", Span(span(text, "\t").start, span(text, "z").end))
    assert picture(text, second) == (
        """
error[E0103]: a tab
 --> model.ss:2:1
  |
2 |     z = y
  | ^^^^^

"""
    )


def test_characters_that_disturb_a_terminal_are_shown_as_pictures() -> None:
    text = Source("model.ss", "x = \x1b[31m\u202e + \x07\n")
    shown = picture(text, Diagnostic("E0101", "unexpected `\x1b`", Span(4, 5), notes=("\u202e",)))
    assert "␛[31m\ufffd + ␇" in shown
    assert not set(shown) & {"\x1b", "\x07", "\u202e"}


def test_a_very_long_line_is_cut_around_the_problem() -> None:
    text = Source("model.ss", "x = " + "a + " * 300 + "bad" + " + c" * 300 + "\n")
    diagnostic = Diagnostic("E0301", "no", span(text, "bad"), labels=(Label(Span(0, 1), "far left"),))
    lines = picture(text, diagnostic).splitlines()
    line, marks = lines[4], lines[5]
    assert len(line) <= 130
    assert line.startswith("1 | …")
    assert line.endswith("…")
    at = marks.index("^^^")
    assert line[at : at + 3] == "bad"
    assert marks.startswith("  | -"), "what was cut off is pointed at where it was cut"


def test_a_megabyte_on_one_line_is_shown_like_any_line() -> None:
    text = Source("model.ss", "x" * 1_000_000)
    shown = picture(text, Diagnostic("E0101", "long", Span(0, 1_000_000)))
    assert len(shown) < 400


def test_the_end_of_a_file_can_be_pointed_at() -> None:
    for text in ("", "x", "x\n"):
        shown = picture(Source("model.ss", text), Diagnostic("E0106", "unclosed", Span(len(text), len(text))))
        assert shown.splitlines()[-2].endswith("^")


def test_notes_of_several_lines_are_aligned() -> None:
    text = source("x\n")
    diagnostic = Diagnostic("E0401", "no", Span(0, 1), notes=("sizes:\nn = 3\nm = 4",), help="write\n    y")
    assert picture(text, diagnostic).endswith(
        """\
  = note: sizes:
          n = 3
          m = 4
  = help: write
              y

"""
    )


def test_windows_line_ends_are_not_shown() -> None:
    text = Source("model.ss", "x = 1\r\ny = z\r\n")
    assert "\r" not in picture(text, Diagnostic("E0301", "no", span(text, "z")))
    assert "2 | y = z\n" in picture(text, Diagnostic("E0301", "no", span(text, "z")))


def test_colour_is_only_there_when_asked_for() -> None:
    diagnostic = Diagnostic("E0301", "no", Span(0, 1), "here", labels=(Label(Span(2, 3), "there"),), help="y")
    plain = render("text", [(source("x = 1\n"), [diagnostic])])
    coloured = render("text", [(source("x = 1\n"), [diagnostic])], color=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror[E0301]\x1b[0m" in coloured
    assert "".join(part.partition("m")[2] for part in ("m" + coloured).split("\x1b[")) == plain
