"""What is no mistake and may still not be meant: the hints of `check` and the editor.

They are worked out only when they are asked for, so building and importing don't pay for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from shapescript_check.hints.grouped_sizes import grouped_size_hints
from shapescript_check.typed.tree import Body
from shapescript_syntax import tree
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.math import math_hints
from shapescript_syntax.memo import Memo, Reader
from shapescript_syntax.parsing.files import ParsedChunk

Hints = tuple[Diagnostic, ...]


def chunk_hints(chunk: ParsedChunk, read: Reader, kept: Memo[Hints]) -> Hints:
    """The hints about a chunk, with spans from its start.

    Arguments:
        chunk: the chunk.
        read: gives what a name of the file is, for the key `("simple", name)`.
        kept: the hints of the version before.
    """

    def compute(reading: Reader) -> Hints:
        found = [*math_hints(chunk.text, chunk.comments)]
        for item in chunk.items:
            if isinstance(item, tree.Fn | tree.ExternFn):
                found += grouped_size_hints(item, lambda name: reading(("simple", name)))
            if isinstance(item, tree.Fn) and "for " in chunk.text and ".." in chunk.text:
                found += _loop_hints(item, chunk, reading)
        return tuple(found)

    return kept.get(chunk, read, compute)


def _loop_hints(item: tree.Fn, chunk: ParsedChunk, reading: Reader) -> Iterator[Diagnostic]:
    from shapescript_check.hints.independent_loops import independent_loop_hints

    def body_of(name: str) -> Body | None:
        found = reading(("body", name))
        return found if isinstance(found, Body) else None

    body = body_of(item.name.text)
    if body is not None:
        yield from independent_loop_hints(body, chunk.text, body_of)
