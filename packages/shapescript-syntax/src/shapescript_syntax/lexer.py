"""Text to tokens, for one chunk at a time."""

from __future__ import annotations

import re
from typing import Final

from shapescript_syntax.characters import report_characters, report_escapes
from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import (
    ERROR,
    FLOAT,
    FOREIGN,
    GROUPED,
    IDENT,
    INT,
    KEYWORDS,
    NEWLINE,
    OPERATORS,
    STRING,
    UNKNOWN,
    Comment,
    Tokens,
)

# Every position matches, so scanning never searches ahead, and quantifiers are possessive, so it never backs
# up. What starts a name, and goes on with one, is all that isn't one of some ASCII characters: written the
# other way round, up to \U0010ffff, the classes would take re 30 ms to compile.
_TOKEN: Final = re.compile(
    r"""
    ( [ \t\f\r]*+ )
    (
        [^\x00-@\[-^`{-\x7f] [^\x00-/:-@\[-^`{-\x7f]*+
      | \|> | => | -> | \.\.\.? | [=!<>]= | [-+*/@()\[\],:.<>=!]
      | \n (?: [ \t\f\r]*+ (?: \# [^\n]*+ )?+ \n )*+
      | [0-9]++ (?: _[0-9]++ )*+
        (?: (?: \. [0-9]++ (?: _[0-9]++ )*+ )? [eE] [+-]?+ [0-9]++ (?: _[0-9]++ )*+
          | \. [0-9]++ (?: _[0-9]++ )*+
          | [^\x00-@\[-^`{-\x7f] [^\x00-/:-@\[-^`{-\x7f]*+
        )?
      | " (?: [^"\\\n]++ | \\[^\n] )*+ (?: " | \\ )?+
      | \# [^\n]*+
      | \? [^\x00-@\[-^`{-\x7f] [^\x00-/:-@\[-^`{-\x7f]*+
      | ' [^'\n]*+ '
      | [$%&;^`{}~\x00-\x08\x0b\x0e-\x1f\x7f]++
      | [^\n]
      | \Z
    )
    """,
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"#[^\n]*")
_BYTE_ORDER_MARK: Final = "\ufeff"

# The kind of each token that is always the same text, and of the others by their first character.
_FIXED: Final = {t: t for t in (*KEYWORDS, *OPERATORS, "_")} | dict.fromkeys(
    ("True", "False", "None"), FOREIGN
)
_FIRST: Final = (
    dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", IDENT)
    | dict.fromkeys("0123456789", INT)
    | {"\n": NEWLINE, "#": "#", '"': STRING, "?": UNKNOWN, "'": "'"}
)


def lex(text: str) -> Tokens:
    """The tokens of a chunk as they stand, before layout. Never fails: what is no token is reported."""
    tokens = Tokens(text)
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    fixed, first = _FIXED.get, _FIRST.get
    at = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
    for space, token in _TOKEN.findall(text[at:] if at else text):
        start = at + len(space)
        at = start + len(token)
        kind = fixed(token)
        if kind is None:
            kind = first(token[0]) if token else NEWLINE
            if kind is not IDENT or not token.isascii():
                _add_other(tokens, kind, token, start)
                continue
        kinds.append(kind)
        starts.append(start)
        ends.append(at)
    if ERROR in kinds:
        report_characters(tokens)
    return tokens


def _add_other(tokens: Tokens, kind: str | None, token: str, start: int) -> None:
    """Adds a token that needs a second look."""
    end = start + len(token)
    if kind is NEWLINE:
        if "#" in token:
            for match in _COMMENT.finditer(token):
                tokens.comments.append(
                    _comment(tokens.text, start + match.start(), start + match.end(), True)
                )
        tokens.add(NEWLINE, start, end)
    elif kind is INT:
        _add_number(tokens, token, start)
    elif kind == "#":
        alone = not tokens.kinds or tokens.kinds[-1] is NEWLINE
        tokens.comments.append(_comment(tokens.text, start, end, alone))
    elif kind is STRING:
        _add_string(tokens, token, start)
    elif kind is UNKNOWN and end > start + 1 and token[1:].isidentifier() and token != "?_":
        tokens.add(UNKNOWN, start, end)
    elif kind == "'" and end > start + 1:
        _add_quoted(tokens, token, start)
    elif len(token) > 1 or not token.isascii():
        _add_run(tokens, start, end)
    else:
        _add_characters(tokens, start, end)


def _comment(text: str, start: int, end: int, alone: bool) -> Comment:
    if end > start and text[end - 1] == "\r":
        end -= 1
    return Comment(Span(start, end), alone)


def _add_number(tokens: Tokens, token: str, start: int) -> None:
    if token.isdigit() and token.isascii():
        tokens.add(INT, start, start + len(token))
        return
    digits = re.match("[0-9]+(?:_[0-9]+)*", token)
    assert digits is not None
    rest = token[digits.end() :]
    end = start + len(token)
    if not rest:
        tokens.add(INT, start, end)
    elif rest[0] == "." or re.fullmatch("[eE][+-]?[0-9]+(?:_[0-9]+)*", rest):
        tokens.add(FLOAT, start, end)
    elif rest != "_" and rest.isidentifier():
        tokens.add(GROUPED, start, end)
    else:
        tokens.add(INT, start, start + digits.end())
        _add_run(tokens, start + digits.end(), end)


def _add_string(tokens: Tokens, token: str, start: int) -> None:
    end = start + len(token)
    closed = len(token) > 1 and token[-1] == '"' and _is_closed(token)
    if not closed:
        end = start + len(token.rstrip("\r"))
        _report_unterminated(tokens, token.rstrip("\r"), start)
    if "\\" in token:
        report_escapes(tokens, token, start)
    tokens.add(STRING, start, end)


def _report_unterminated(tokens: Tokens, token: str, start: int) -> None:
    # Closing brackets at the end that the string doesn't open were meant to come after it.
    body = token
    while body[-1] in ")]" and body.count(body[-1]) > body.count("(" if body[-1] == ")" else "["):
        body = body[:-1]
    # A backslash at the end would make the quote a part of the string.
    quote = '"' if _is_closed(body + '"') else '\\"'
    at = start + len(body)
    tokens.report(
        Diagnostic(
            "E0102",
            'this string has no closing `"` on its line',
            Span(start, start + len(token)),
            label="unterminated string",
            help=f"end it with a quote: {body}{quote}",
            fixes=(Fix("add the closing quote", ((Span(at, at), quote),)),),
        )
    )


def _is_closed(token: str) -> bool:
    """Whether the last quote isn't an escaped one."""
    backslashes = len(token) - 1 - len(token[:-1].rstrip("\\"))
    return backslashes % 2 == 0


def _add_quoted(tokens: Tokens, token: str, start: int) -> None:
    span = Span(start, start + len(token))
    pattern = "->" in token
    meant = token[1:-1] if pattern else '"' + token[1:-1].replace('"', '\\"') + '"'
    what = "patterns are written without quotes" if pattern else "strings are written in double quotes"
    tokens.report(
        Diagnostic(
            "E0101",
            what,
            span,
            label="unexpected `'`",
            help=f"write {meant}",
            fixes=(Fix(f"write {meant}", ((span, meant),)),),
        )
    )
    tokens.add(ERROR if pattern else STRING, *span)


def _add_run(tokens: Tokens, start: int, end: int) -> None:
    """Adds what a run of letters, digits and characters outside ASCII is made of."""
    text = tokens.text
    at = start
    while at < end:
        stop = at + 1
        char = text[at]
        if char.isidentifier():
            while stop < end and ("a" + text[stop]).isidentifier():
                stop += 1
            tokens.add(_FIXED.get(text[at:stop], IDENT), at, stop)
        elif char in "0123456789":
            while stop < end and text[stop] in "0123456789":
                stop += 1
            tokens.add(INT, at, stop)
        else:
            while stop < end and not text[stop].isidentifier() and text[stop] not in "0123456789":
                stop += 1
            _add_characters(tokens, at, stop)
        at = stop


def _add_characters(tokens: Tokens, start: int, end: int) -> None:
    """Adds characters that start no token, as one with those just before them."""
    if tokens.kinds and tokens.kinds[-1] is ERROR and tokens.ends[-1] == start:
        tokens.ends[-1] = end
    else:
        tokens.add(ERROR, start, end)
