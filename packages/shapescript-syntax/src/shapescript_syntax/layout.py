"""The layout pass: line breaks and indentation to NEWLINE, INDENT and DEDENT tokens.

It also pairs brackets. Where they don't pair, `brackets.repair` first guesses where the missing ones belong,
so that the parser always sees balanced brackets and one wrong bracket is one diagnostic.
"""

from __future__ import annotations

from typing import Final

from shapescript_syntax.brackets import may_mix, repair
from shapescript_syntax.indentation import Indentation
from shapescript_syntax.lexer import lex
from shapescript_syntax.tokens import EOF, LAYOUT, NEWLINE, Tokens

_CLOSING: Final = {"(": ")", "[": "]"}
_EVENTS: Final = frozenset({"(", ")", "[", "]", "->", NEWLINE})


def tokenize(text: str) -> Tokens:
    """The tokens of a chunk, laid out."""
    raw = lex(text)
    laid_out = _lay_out(raw)
    if laid_out is None:
        laid_out = _lay_out(repair(raw))
        assert laid_out is not None, "brackets pair after their repair"
    return laid_out


def _lay_out(raw: Tokens) -> Tokens | None:
    """The laid out tokens, or None if brackets don't pair."""
    kinds = raw.kinds
    out = Tokens(raw.text)
    out.comments, out.damaged, out.diagnostics = raw.comments, raw.damaged, raw.diagnostics
    mixed = may_mix(kinds)
    indentation = Indentation(raw, out)
    indentation.begin_line(0, 0)
    stack: list[tuple[str, int]] = []
    taken = 0
    for event in [i for i, kind in enumerate(kinds) if kind in _EVENTS]:
        kind = kinds[event]
        if kind is NEWLINE:
            _take(raw, out, taken, event)
            taken = event + 1
            if not stack:
                following = kinds[taken] if taken < len(kinds) else NEWLINE
                if out.kinds and out.kinds[-1] not in LAYOUT:
                    if following == "|>":
                        continue
                    out.add(NEWLINE, raw.starts[event], raw.ends[event])
                indentation.begin_line(taken, raw.ends[event])
        elif kind in _CLOSING:
            stack.append((_CLOSING[kind], len(out.kinds) + event - taken))
        elif kind == "->":
            out.patterns = out.patterns or bool(stack)
        else:
            if not stack:
                return None
            expected, opening = stack.pop()
            if expected != kind and (stack or not mixed):
                return None
            out.closers[opening] = len(out.kinds) + event - taken
    if stack:
        return None
    _take(raw, out, taken, len(kinds))
    indentation.end()
    out.add(EOF, len(raw.text), len(raw.text))
    return out


def _take(raw: Tokens, out: Tokens, start: int, stop: int) -> None:
    """Copies tokens as they are."""
    out.kinds += raw.kinds[start:stop]
    out.starts += raw.starts[start:stop]
    out.ends += raw.ends[start:stop]
