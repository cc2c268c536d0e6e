"""What holds for every diagnostic of every text, in every format."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from shapescript_syntax.diagnostics import Diagnostic, Label
from shapescript_syntax.rendering import FORMATS, render
from shapescript_syntax.rendering.cells import width
from shapescript_syntax.rendering.excerpt import WIDTH
from shapescript_syntax.spans import Source, Span

TEXTS = st.one_of(
    st.text(st.sampled_from("ab \t\n漢e\u0301\r\x1b\u202e😀"), max_size=60),
    st.text(st.sampled_from("a漢\t\n"), min_size=200, max_size=600),
    st.text(max_size=40),
)
WORDS = st.text(st.sampled_from("word 漢\x1b"), max_size=8).map(lambda word: f"w{word}w")


@st.composite
def reports(draw: st.DrawFn) -> tuple[Source, list[Diagnostic]]:
    """A text with a diagnostic somewhere in it, and labels anywhere else."""
    text = draw(TEXTS)
    offsets = st.integers(0, len(text))

    def span() -> Span:
        start, end = sorted((draw(offsets), draw(offsets)))
        return Span(start, end)

    labels = tuple(Label(span(), draw(WORDS)) for _ in range(draw(st.integers(0, 4))))
    notes = tuple(draw(st.lists(st.text("no\nte", max_size=9), max_size=2)))
    code = draw(st.sampled_from(["E0101", "W0201", "H0601"]))
    diagnostic = Diagnostic(code, draw(WORDS), span(), draw(WORDS), labels, notes, draw(st.none() | WORDS))
    return Source("model.ss", text), [diagnostic]


@given(reports())
def test_every_format_can_show_it(report: tuple[Source, list[Diagnostic]]) -> None:
    for output_format in FORMATS:
        assert render(output_format, [report]).endswith("\n")
    assert render("text", [report], color=True).endswith("\n")


@given(reports())
def test_a_terminal_is_not_disturbed(report: tuple[Source, list[Diagnostic]]) -> None:
    shown = render("text", [report])
    assert all(c == "\n" or unicodedata.category(c) != "Cc" for c in shown)
    for line in shown.splitlines():
        assert line == line.rstrip()
        # Bars of marks over several lines, and messages, come on top of the source's own width.
        assert sum(map(width, line)) <= WIDTH + 80


@given(reports())
def test_colours_change_nothing_but_colours(report: tuple[Source, list[Diagnostic]]) -> None:
    plain = render("text", [report])
    coloured = render("text", [report], color=True)
    parts = ("m" + coloured).split("\x1b[")
    assert "".join(part.partition("m")[2] for part in parts) == plain


@given(reports())
def test_positions_for_programs_are_inside_the_text(report: tuple[Source, list[Diagnostic]]) -> None:
    source, (diagnostic,) = report
    (found,) = json.loads(render("json", [report]))
    lines = source.text.split("\n")
    for place in (found, *found["labels"]):
        start, end = (place["line"], place["column"]), (place["end_line"], place["end_column"])
        assert start <= end
        for line, column in (start, end):
            assert 1 <= column <= len(lines[line - 1]) + 1
    before = source.text[: diagnostic.span.start]
    assert (found["line"], found["column"]) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
