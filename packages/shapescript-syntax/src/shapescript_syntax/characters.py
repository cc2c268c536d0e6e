"""What to say about characters that start no token, and about escapes that strings don't have."""

from __future__ import annotations

from typing import Final

from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import ERROR, Tokens

# What somebody who typed the characters was after: what to write instead, or None, and what the help says.
_MEANT: Final[dict[str, tuple[str | None, str]]] = {
    "%": (None, "there is no remainder operator: for whole numbers write `a - b * floor(a / b)`"),
    "&": ("and", "both conditions are `a and b`"),
    "&&": ("and", "both conditions are `a and b`"),
    "|": ("or", "either condition is `a or b`, and a pipe is `|>`"),
    "||": ("or", "either condition is `a or b`"),
    "^": (None, "a power is `pow(x, p)`"),
    "~": ("!", "the opposite of a mask is `!mask`"),
    ";": (None, "each statement goes on a line of its own"),
    "\\": (None, "a line goes on inside brackets, or on a line that starts with `|>`"),
    "{": (None, "there are no dictionaries, sets or braces: blocks are indented, axes are grouped by ( )"),
    "}": (None, "there are no dictionaries, sets or braces: blocks are indented, axes are grouped by ( )"),
    "?": (None, "an unknown size is a question mark that touches a name: `?k`"),
    "'": (None, 'strings are written in double quotes: "text"'),
    "`": (None, "code is written without backquotes"),
    "\u201c": ('"', "strings are written in straight double quotes"),
    "\u201d": ('"', "strings are written in straight double quotes"),
    "\u2018": ('"', "strings are written in straight double quotes"),
    "\u2019": ('"', "strings are written in straight double quotes"),
    "\u2212": ("-", "the minus sign is `-`"),
    "\u2013": ("-", "the minus sign is `-`"),
    "\u00d7": ("*", "a product is `a * b`"),
    "\u00b7": ("*", "a product is `a * b`"),
    "\u00f7": ("/", "a quotient is `a / b`"),
    "\u2264": ("<=", "less or equal is `<=`"),
    "\u2265": (">=", "greater or equal is `>=`"),
    "\u2260": ("!=", "not equal is `!=`"),
    "\u2192": ("->", "an arrow is `->`"),
    "\u21d2": ("=>", "a lambda's arrow is `=>`"),
    "\u2026": ("...", "other axes are `...`"),
    "\u221e": ("inf", "infinity is `inf`"),
    "\u00a0": (" ", "this is a no-break space: use an ordinary one"),
    "\u3000": (" ", "this is a wide space: use an ordinary one"),
    "\u200b": ("", "this is an invisible space: delete it"),
    "\ufeff": ("", "this is a byte order mark, which only the start of a file may have: delete it"),
}
_PAIRS: Final = {"{": "}", "\u201c": "\u201d", "\u2018": "\u2019"}
"""What closes what: the second of a pair is no second mistake."""


def show(text: str) -> str:
    """Characters as a message can print them: visible ones in backquotes, others by number."""
    if text.isprintable() and not text.isspace() and "`" not in text:
        return f"`{text}`"
    return " ".join(f"U+{ord(c):04X}" for c in text[:8]) + (" …" if len(text) > 8 else "")


def report_characters(tokens: Tokens) -> None:
    """Reports each run of characters that start no token (E0101), and what belongs to it once."""
    text = tokens.text
    found: list[tuple[Span, list[Span]]] = []
    awaited: dict[str, list[Span]] = {}
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if kind is not ERROR or (end > start + 1 and text[start] == "'"):
            continue
        run = text[start:end]
        if run in awaited:
            awaited.pop(run).append(Span(start, end))
            continue
        parts = [Span(start, end)]
        found.append((parts[0], parts))
        if run in _PAIRS:
            awaited[_PAIRS[run]] = parts
    for span, parts in found:
        _report_run(tokens, span, parts)


def _report_run(tokens: Tokens, span: Span, parts: list[Span]) -> None:
    run = tokens.text[span.start : span.end]
    repeated = _MEANT.get(run[0]) if not run.strip(run[0]) else None
    replacement, hint = _MEANT.get(run) or repeated or (None, None)
    fixes: tuple[Fix, ...] = ()
    if replacement is not None:
        title = f"replace it with `{replacement}`" if replacement.strip() else "replace it"
        fixes = (Fix(title, tuple((part, replacement) for part in parts)),)
    tokens.report(
        Diagnostic(
            "E0101",
            f"unexpected character{'s' if len(run) > 1 else ''} {show(run if len(run) <= 20 else run[:20] + '…')}",
            span,
            label="starts no token",
            help=hint,
            fixes=fixes,
        )
    )


def report_escapes(tokens: Tokens, token: str, start: int) -> None:
    """Reports each escape of a string that isn't one (E0101, at the backslash)."""
    at = token.find("\\")
    while 0 <= at < len(token) - 1:
        char = token[at + 1]
        if char not in '"\\nt':
            tokens.report(
                Diagnostic(
                    "E0101",
                    f"a string has no escape `\\{char}`"
                    if char.isprintable()
                    else "a string has no such escape",
                    Span(start + at, start + at + 1),
                    label="unexpected backslash",
                    help='the escapes are \\" \\\\ \\n and \\t; for a backslash itself write \\\\',
                    fixes=(Fix("double the backslash", ((Span(start + at, start + at + 1), "\\\\"),)),),
                )
            )
        at = token.find("\\", at + 2)
