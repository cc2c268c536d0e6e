"""A line's tokens with the comments among them, and its brackets as groups."""

from __future__ import annotations

from typing import TypeAlias

from shapescript_syntax.tokens import Tokens


class Word:
    """A token as it is written, with the comments next to it.

    `before` are comments on lines of their own just before it, and `after` is one behind it on its line. `space`
    says whether a space stands between it and the word before, `starts_line` that the source has a line break
    there, and `soft` that one may be put there, inside brackets. `role` is what an opening bracket is for.
    """

    __slots__ = ("after", "before", "kind", "role", "soft", "space", "starts_line", "text")

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text
        self.role = ""
        self.before: list[str] = []
        self.after: str | None = None
        self.space = False
        self.soft = False
        self.starts_line = False


class Group:
    """A pair of brackets and what is between them.

    `forced` says that they can't be on one line, and `width` how long they would be on one.
    """

    __slots__ = ("close", "forced", "open", "parts", "width")

    def __init__(self, opening: Word, closing: Word, parts: list[Part]) -> None:
        self.open = opening
        self.close = closing
        self.parts = parts
        self.forced = bool(opening.after or closing.before) or is_forced(parts)
        self.width = flat_width(parts) + 2

    @property
    def takes_comma(self) -> bool:
        """Whether a comma may follow the last of the items in it."""
        return self.open.role in ("call", "index", "parameters")


Part: TypeAlias = Word | Group


def is_forced(parts: list[Part]) -> bool:
    """Whether parts can't be put on one line: they have comments, or stages of a pipe on lines of their own."""
    for part in parts:
        if isinstance(part, Group):
            if part.forced or part.open.before or part.close.after:
                return True
        elif part.before or part.after or (part.kind == "|>" and part.starts_line):
            return True
    return False


def flat(parts: list[Part]) -> str:
    """Parts on one line, the first without a space before it. A comma at their end is left out."""
    texts: list[str] = []
    _flatten(parts, texts)
    return "".join(texts).lstrip(" ")


def _flatten(parts: list[Part], texts: list[str]) -> None:
    for i, part in enumerate(parts):
        if space_before(part) and i:
            texts.append(" ")
        if isinstance(part, Group):
            texts.append(part.open.text)
            _flatten(part.parts, texts)
            texts.append(part.close.text)
        elif part.kind != "," or i < len(parts) - 1:
            texts.append(part.text)


def flat_width(parts: list[Part]) -> int:
    """How long `flat` is."""
    width = 0
    for i, part in enumerate(parts):
        if isinstance(part, Group):
            width += part.width
        elif part.kind != "," or i < len(parts) - 1:
            width += len(part.text)
        if space_before(part) and i:
            width += 1
    return width


def space_before(part: Part) -> bool:
    """Whether a space stands before a part."""
    return part.open.space if isinstance(part, Group) else part.space


def first_word(part: Part) -> Word:
    """A part's first word."""
    return part.open if isinstance(part, Group) else part


def last_word(part: Part) -> Word:
    """A part's last word."""
    return part.close if isinstance(part, Group) else part


def grouped(words: list[Word], tokens: Tokens, first: int) -> list[Part]:
    """Words as parts. `first` is the index in `tokens` of the first word."""
    stack: list[tuple[list[Part], Word | None]] = [([], None)]
    for i, word in enumerate(words):
        if first + i in tokens.closers:
            stack.append(([], word))
        elif word.kind in (")", "]"):
            parts, opening = stack.pop()
            assert opening is not None, "brackets pair"
            stack[-1][0].append(Group(opening, word, parts))
        else:
            stack[-1][0].append(word)
    return stack[0][0]


def split_at(parts: list[Part], kind: str, keep: bool) -> list[list[Part]]:
    """Parts cut at each word of a kind, which starts the next run if it is kept, and ends the last if not."""
    runs: list[list[Part]] = [[]]
    for part in parts:
        cuts = isinstance(part, Word) and part.kind == kind
        if cuts and keep and runs[-1]:
            runs.append([part])
        else:
            runs[-1].append(part)
            if cuts and not keep:
                runs.append([])
    return runs
