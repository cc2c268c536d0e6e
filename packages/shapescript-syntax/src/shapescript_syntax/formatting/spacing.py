"""Where spaces stand between the tokens of a line."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from shapescript_syntax.formatting.parts import Word
from shapescript_syntax.parsing.files import ParsedChunk
from shapescript_syntax.records import fields_of
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import FLOAT, GROUPED, IDENT, INT, STRING, UNKNOWN, Tokens
from shapescript_syntax.tree import Devices, ExternFn, Fn, ShapeExpr, Side, TypeWord

_OPERAND_ENDS: Final = frozenset(
    {IDENT, INT, FLOAT, GROUPED, STRING, UNKNOWN, ")", "]", "inf", "true", "false", "_", "..."}
)
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "@"})
_OPERATORS: Final = _ARITHMETIC | {"==", "!=", "<", "<=", ">", ">=", "and", "or"}
_UNSPACED: Final = frozenset({".", ".."})


class Contexts:
    """What the tree knows about the tokens of a chunk: which are in types, in patterns and in signatures.

    `sizes` are indices of tokens in the brackets of types, where arithmetic has no spaces because axes have. `sides`
    are those of patterns. `brackets` are the roles of opening brackets that the tokens alone don't tell.
    """

    __slots__ = ("brackets", "sides", "sizes")

    def __init__(self, chunk: ParsedChunk, tokens: Tokens) -> None:
        self.sizes: set[int] = set()
        self.sides: set[int] = set()
        self.brackets: dict[int, str] = {}
        waiting: list[object] = list(chunk.items)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ShapeExpr):
                self.sizes.update(_indices(tokens, node.span))
            elif isinstance(node, TypeWord):
                if node.argument is not None:
                    indices = _indices(tokens, node.argument.span)
                    self.sizes.update(indices)
                    opening = indices.start - 1
                    while tokens.kinds[opening] != "[":
                        opening -= 1
                    self.brackets[opening] = "argument"
            elif isinstance(node, Side):
                self.sides.update(_indices(tokens, node.span))
            else:
                if isinstance(node, Fn | ExternFn):
                    self.brackets[bisect_left(tokens.starts, node.name.span.end)] = "parameters"
                elif isinstance(node, Devices):
                    self.brackets[bisect_left(tokens.starts, node.device.span.end)] = "argument"
                for field in fields_of(node) or ():
                    value = getattr(node, field)
                    waiting += value if type(value) is tuple else (value,)


def _indices(tokens: Tokens, span: Span) -> range:
    return range(bisect_left(tokens.starts, span.start), bisect_left(tokens.starts, span.end))


def words_of(tokens: Tokens, first: int, stop: int, contexts: Contexts) -> list[Word]:
    """The words of a line, from token `first` up to `stop`, with what spaces and roles they have."""
    words: list[Word] = []
    roles: list[str] = [""]
    for i in range(first, stop):
        kind = tokens.kinds[i]
        word = Word(kind, tokens.text[tokens.starts[i] : tokens.ends[i]])
        previous = words[-1] if words else None
        tight = i in contexts.sizes
        apart = tight or i in contexts.sides
        operand = previous is not None and previous.kind in _OPERAND_ENDS
        if kind in ("(", "["):
            word.role = _role(i, kind, operand, apart, contexts)
        elif kind in ("-", "!") and not operand:
            word.role = "unary"
        if previous is not None:
            word.space = _space(previous, word, roles[-1], tight)
        operator = kind in _OPERATORS and word.role != "unary"
        word.soft = (operator and not tight) or kind == "->" or (apart and word.space)
        if kind in ("(", "["):
            roles.append(word.role)
        elif kind in (")", "]"):
            roles.pop()
        words.append(word)
    return words


def _role(i: int, kind: str, operand: bool, apart: bool, contexts: Contexts) -> str:
    if i in contexts.brackets:
        return contexts.brackets[i]
    if apart or not operand:
        return "plain"
    return "call" if kind == "(" else "index"


def _space(previous: Word, word: Word, role: str, tight: bool) -> bool:
    """Whether a space stands between two words; `role` is that of the brackets around them."""
    before, kind = previous.kind, word.kind
    if before in ("(", "[") or kind in (")", "]", ",") or previous.role == "unary":
        return False
    if before == ",":
        return True
    if kind == ":" or before in _UNSPACED or kind in _UNSPACED:
        return False
    if before == ":":
        return role != "index"
    if kind == "=" or before == "=":
        return role != "call"
    if kind in _ARITHMETIC or before in _ARITHMETIC:
        return not tight
    if kind in ("(", "["):
        return word.role == "plain"
    return True
