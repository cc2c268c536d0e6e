"""What source text is made of.

Tokens are three parallel lists, since a file has tens of thousands of them and an object for each would cost
more than reading them. The kind of a keyword or an operator is its own text; the others are named below.
"""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Span

IDENT: Final[str] = "ident"
INT: Final[str] = "int"
FLOAT: Final[str] = "float"
GROUPED: Final[str] = "grouped_size"
STRING: Final[str] = "string"
UNKNOWN: Final[str] = "unknown_size"
ERROR: Final[str] = "error"
"""Characters that start no token. They have been reported, so the parser says nothing more about them."""
FOREIGN: Final[str] = "foreign"
"""Python's True, False and None, which are names nobody means to use."""
NEWLINE: Final[str] = "NEWLINE"
INDENT: Final[str] = "INDENT"
DEDENT: Final[str] = "DEDENT"
EOF: Final[str] = "EOF"

LAYOUT: Final = frozenset({NEWLINE, INDENT, DEDENT, EOF})

KEYWORDS: Final = frozenset(
    [
        "dim",
        "domain",
        "fn",
        "extern",
        "return",
        "import",
        "as",
        "to",
        "and",
        "or",
        "inf",
        "true",
        "false",
        "for",
        "in",
        "if",
        "else",
    ]
)
OPERATORS: Final = frozenset(
    [
        "|>",
        "=>",
        "->",
        "..",
        "...",
        "==",
        "!=",
        "<=",
        ">=",
        "<",
        ">",
        "=",
        "+",
        "-",
        "*",
        "/",
        "@",
        "!",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        ".",
    ]
)

DECLARATION_KEYWORDS: Final = frozenset({"dim", "domain", "fn", "extern", "import"})


MAX_DIAGNOSTICS: Final = 1000
"""How many mistakes a chunk may have before the rest goes unsaid: it is no program by then."""


class Comment:
    """A comment, `#` included. `alone` says that nothing but spaces comes before it on its line."""

    __slots__ = ("alone", "span")

    def __init__(self, span: Span, alone: bool) -> None:
        self.span = span
        self.alone = alone


class Tokens:
    """The tokens of one chunk.

    Out of the lexer, a NEWLINE token covers a line break and the blank and comment lines after it, up to the
    first character of the next line that holds code. Out of the layout pass, which removes those in brackets
    and adds INDENT, DEDENT and a last EOF, brackets are balanced: `closers` maps the index of each opening
    bracket to that of its closing one, `damaged` are the ranges whose brackets had to be guessed, and `patterns`
    says whether there is an arrow in any brackets, which only patterns have.
    """

    __slots__ = (
        "closers",
        "comments",
        "damaged",
        "diagnostics",
        "ends",
        "kinds",
        "patterns",
        "starts",
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.comments: list[Comment] = []
        self.diagnostics: list[Diagnostic] = []
        self.closers: dict[int, int] = {}
        self.damaged: list[Span] = []
        self.patterns = False

    def report(self, diagnostic: Diagnostic) -> None:
        """Adds a diagnostic, unless there are far too many already."""
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(diagnostic)

    def add(self, kind: str, start: int, end: int) -> None:
        """Appends one token."""
        self.kinds.append(kind)
        self.starts.append(start)
        self.ends.append(end)
