"""One layout for every program."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.dump import dump
from shapescript_syntax.formatting.units import Unit, units_of
from shapescript_syntax.formatting.vertical import joined
from shapescript_syntax.layout import tokenize
from shapescript_syntax.parsing.files import ParsedFile, parse_file
from shapescript_syntax.spans import Source


class CannotFormat(ValueError):
    """The text has mistakes that keep it from being understood. `diagnostics` are they."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics[0].message)
        self.diagnostics = diagnostics


def format_source(text: str, *, cell: bool = False) -> str:
    """A file, or a notebook's cell, in its canonical layout.

    Blocks are indented by four spaces, operators have spaces around them, axes have one between them, lines are
    broken to fit 100 columns, and blank lines are at most one. What the program means and all comments stay, and
    formatting the result changes nothing more.

    Raises:
        CannotFormat: if the text has syntax errors.
    """
    parsed = parse_file(Source("", text), cell=cell)
    errors = tuple(d for d in parsed.diagnostics() if d.is_error)
    if errors:
        raise CannotFormat(errors)
    formatted = rearranged(parsed)
    # A formatter that changes a program is worse than none.
    return formatted if _same(parsed, parse_file(Source("", formatted), cell=cell)) else text


def rearranged(parsed: ParsedFile) -> str:
    """The text of a file without errors in its canonical layout, unchecked."""
    units: list[Unit] = []
    for start, chunk in parsed.placed:
        units += units_of(chunk, tokenize(chunk.text), start)
    return joined(units, parsed.source.text)


def _same(before: ParsedFile, after: ParsedFile) -> bool:
    """Whether two files have the same trees and the same comments."""
    return _content(before) == _content(after)


def _content(parsed: ParsedFile) -> tuple[list[str], list[str]]:
    trees = [dump(item) for _, chunk in parsed.placed for item in chunk.items]
    comments = [
        chunk.text[comment.span.start : comment.span.end].rstrip()
        for _, chunk in parsed.placed
        for comment in tokenize(chunk.text).comments
    ]
    return trees, sorted(comments)
