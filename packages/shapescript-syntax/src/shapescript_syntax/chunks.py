"""Cutting a file at its top-level declarations.

A chunk is what gets lexed, parsed and checked as one, so an edit costs one chunk. Cutting looks at nothing
but the starts of lines: a declaration at column zero begins a chunk even inside an unclosed bracket, which
keeps one mistake to one declaration.
"""

from __future__ import annotations

import re
from collections import namedtuple
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:

    class Chunk(NamedTuple):
        """A piece of a file: where it starts, and its text."""

        start: int
        text: str

else:
    Chunk = namedtuple("Chunk", ("start", "text"))  # see `spans`


# `model`, `data`, `logs`, `devices` and `export` are ordinary names unless what follows makes them keywords.
# Searching for the line break before it looks at nothing else, where searching for the start of a line would stop
# at every character.
_DECLARATION = re.compile(
    r"""
    \n \f*+ (?=
        (?: dim | domain | fn | extern | import ) \b
      | (?: model | data | logs | devices ) [ \t]++ (?! (?: as | to | and | or | in | if | for ) \b ) [^\W\d]
      | devices \b (?! [ \t]*+ [=.,(] )
      | export [ \t]++ (?: fn | extern | dim | domain | model | data | logs | import ) \b
    )
    """,
    re.VERBOSE,
)
_BLANKS = " \t\f\r\ufeff"


def cut(text: str) -> list[Chunk]:
    """The chunks of a file, in order; joined, they are the file.

    Comment lines directly above a declaration belong to it. Anything else that is no declaration belongs to
    the chunk before it, or to a chunk of its own at the start of the file.
    """
    starts = [0, *(_above(text, m.start() + 1) for m in _DECLARATION.finditer(text)), len(text)]
    return [Chunk(a, text[a:b]) for a, b in pairwise(starts) if a < b]


def _above(text: str, start: int) -> int:
    """The start of the comment lines that end just before the line at `start`, or `start` itself."""
    while start > 0:
        line = text.rfind("\n", 0, start - 1) + 1
        if text[line] != "#" and text[line] not in _BLANKS:
            break
        comment = text[line:start].lstrip(_BLANKS)
        # An indented comment is about the block above, unless it is a doc comment, which is about what is below.
        if not comment.startswith("##") and not (comment.startswith("#") and text[line] in "#\ufeff"):
            break
        start = line
    return start
