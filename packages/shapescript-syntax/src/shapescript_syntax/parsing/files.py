"""Whole chunks and whole files."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, NamedTuple

from shapescript_syntax.chunks import cut
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.layout import tokenize
from shapescript_syntax.parsing.cursor import Cursor
from shapescript_syntax.parsing.declarations import parse_item
from shapescript_syntax.parsing.docs import collect_docs, report_unattached
from shapescript_syntax.spans import Source, Span
from shapescript_syntax.tokens import DEDENT, EOF, NEWLINE, Comment
from shapescript_syntax.tree import ErrorItem, Item, Stmt


class ParsedChunk:
    """A chunk's tree and what is wrong with it, with spans from the chunk's start.

    The items are declarations, and in a notebook's cell statements as well.
    """

    __slots__ = ("comments", "diagnostics", "items", "text")

    def __init__(
        self,
        text: str,
        items: tuple[Item | Stmt, ...],
        diagnostics: tuple[Diagnostic, ...],
        comments: tuple[Comment, ...],
    ) -> None:
        self.text = text
        self.items = items
        self.diagnostics = diagnostics
        self.comments = comments


if TYPE_CHECKING:

    class Placed(NamedTuple):
        """A chunk, and where it starts in its file."""

        start: int
        chunk: ParsedChunk

else:
    Placed = namedtuple("Placed", ("start", "chunk"))  # see `spans`


class ParsedFile:
    """A file's chunks in order."""

    __slots__ = ("placed", "source")

    def __init__(self, source: Source, placed: tuple[Placed, ...]) -> None:
        self.source = source
        self.placed = placed

    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the file's syntax, with spans from the start of the file."""
        return [
            diagnostic.located(start, _no_place)
            for start, chunk in self.placed
            for diagnostic in chunk.diagnostics
        ]


def _no_place(_declaration: str, _part: str) -> Span | None:
    """Where another declaration's part is: syntax is never about one."""
    return None


def parse_file(
    source: Source, cache: dict[str, ParsedChunk] | None = None, *, cell: bool = False
) -> ParsedFile:
    """Parses a file, or a notebook's cell.

    `cache` holds the chunks of the version before. A chunk whose text is in it is not parsed again, and comes
    back as the same object; afterwards the cache holds exactly this file's chunks.
    """
    kept = {} if cache is None else cache
    used: dict[str, ParsedChunk] = {}
    placed = []
    for start, text in cut(source.text):
        chunk = used.get(text) or kept.get(text)
        if chunk is None:
            chunk = parse_chunk(text, cell=cell)
        used[text] = chunk
        placed.append(Placed(start, chunk))
    kept.clear()
    kept.update(used)
    return ParsedFile(source, tuple(placed))


def parse_chunk(text: str, *, cell: bool = False) -> ParsedChunk:
    """Parses the text of one chunk. Depends on nothing else, and never fails: mistakes are diagnostics."""
    tokens = tokenize(text)
    comments = tuple(tokens.comments)
    cursor = Cursor(tokens, cell)
    try:
        collect_docs(cursor, tokens.comments)
        items = _parse_items(cursor)
        report_unattached(cursor)
    except RecursionError:
        # The limits on nesting keep far from this, unless the caller is itself deep in recursion.
        span = Span(0, len(text.partition("\n")[0]))
        message = "this declaration is nested too deeply"
        return ParsedChunk(text, (ErrorItem(span, None),), (Diagnostic("E0201", message, span),), comments)
    diagnostics = cursor.diagnostics
    if len(diagnostics) > 1:
        diagnostics.sort(key=lambda diagnostic: diagnostic.span)
    return ParsedChunk(text, items, tuple(diagnostics), comments)


def _parse_items(c: Cursor) -> tuple[Item | Stmt, ...]:
    items: list[Item | Stmt] = []
    while c.kind is not EOF:
        if c.kind is NEWLINE or c.kind is DEDENT:
            c.advance()
            continue
        before = c.i
        items.append(parse_item(c))
        c.check_progress(before)
    return tuple(items)
