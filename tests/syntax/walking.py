"""Going through syntax trees and tokens, and what must hold of them whatever the text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shapescript_syntax.layout import tokenize
from shapescript_syntax.parsing.files import ParsedFile, parse_file
from shapescript_syntax.records import fields_of
from shapescript_syntax.spans import Source, Span
from shapescript_syntax.tokens import LAYOUT

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.ss"))}


def parse(text: str) -> ParsedFile:
    return parse_file(Source("example.ss", text))


def codes(text: str) -> list[str]:
    return [d.code for d in parse(text).diagnostics()]


def items(text: str) -> list[object]:
    return [item for _, chunk in parse(text).placed for item in chunk.items]


def children(node: object) -> Iterator[object]:
    for field in fields_of(node) or ():
        value = getattr(node, field)
        for part in value if type(value) is tuple else (value,):
            if fields_of(part) is not None:
                yield part


def nodes(root: object) -> Iterator[object]:
    """A node and all that is below it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)


def check_spans(text: str, root: object) -> None:
    """Every node's spans are in the text, and within those of the node above."""
    for node in nodes(root):
        span = node.span  # type: ignore[attr-defined]
        assert 0 <= span.start <= span.end <= len(text), node
        for field in fields_of(node) or ():
            value = getattr(node, field)
            if isinstance(value, Span):
                assert span.start <= value.start <= value.end <= span.end, (field, node)
        for child in children(node):
            inner = child.span  # type: ignore[attr-defined]
            assert span.start <= inner.start <= inner.end <= span.end, (child, node)


def check_tokens(text: str) -> None:
    """Tokens are in order, cover what isn't space or comment, and have balanced brackets."""
    tokens = tokenize(text)
    covered = 0
    comments = sorted(comment.span for comment in tokens.comments)
    between = []
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if kind in LAYOUT:
            continue
        assert covered <= start <= end <= len(text)
        between.append((covered, start))
        covered = end
    between.append((covered, len(text)))
    dropped = {d.span.start for d in tokens.diagnostics if d.code == "E0105"}
    for start, end in between:
        rest = "".join(
            text[i]
            for i in range(start, end)
            if i not in dropped
            and not any(c.start <= i < c.end for c in comments if c.end > start and c.start < end)
        )
        assert rest.strip(" \t\n\r\f\ufeff") == "", (rest, start)
    for opening, closing in tokens.closers.items():
        assert tokens.kinds[opening] in ("(", "[")
        assert tokens.kinds[closing] in (")", "]")
        assert opening < closing


def check_everything(text: str) -> ParsedFile:
    """Parses a text, and holds the result against all that is said above."""
    parsed = parse(text)
    assert "".join(chunk.text for _, chunk in parsed.placed) == text
    for _, chunk in parsed.placed:
        for item in chunk.items:
            check_spans(chunk.text, item)
        for diagnostic in chunk.diagnostics:
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(chunk.text), diagnostic
            assert "\n" not in diagnostic.message
            for label in diagnostic.labels:
                assert label.span is not None
                assert 0 <= label.span.start <= label.span.end <= len(chunk.text)
            for fix in diagnostic.fixes:
                for span, _ in fix.edits:
                    assert 0 <= span.start <= span.end <= len(chunk.text)
    return parsed
