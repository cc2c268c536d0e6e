"""How a line of code is put on one line or several.

A line that fits stays whole. One that doesn't is broken before the stages of its pipe, or inside its widest brackets,
and so on for what is still too long. Nothing else decides, apart from comments and from pipes that are written over
several lines, which stay so; that is why a second formatting changes nothing.
"""

from __future__ import annotations

from typing import Final

from shapescript_syntax.formatting.parts import (
    Group,
    Part,
    Word,
    first_word,
    flat,
    flat_width,
    is_forced,
    last_word,
    space_before,
    split_at,
)

WIDTH: Final = 100
STEP: Final = 4


def laid_out(parts: list[Part], indent: int) -> list[str]:
    """A line of code, indented."""
    # Under the header of a block, stages are indented further than the block is.
    stages = indent + (2 * STEP if last_word(parts[-1]).kind == ":" else STEP)
    lines, comment = _without_comment(parts, indent, stages, 0)
    if comment is not None:
        lines[-1] += f"  {comment}"
    return lines


def _without_comment(
    parts: list[Part], indent: int, stages: int | None, tail: int
) -> tuple[list[str], str | None]:
    """Parts on lines, and the comment behind the last of them, which keeps nothing from being on one line."""
    last = last_word(parts[-1])
    comment, last.after = last.after, None
    lines = _run(parts, indent, stages, tail)
    last.after = comment
    return lines, comment


def _run(parts: list[Part], indent: int, stages: int | None, tail: int) -> list[str]:
    """Parts at an indentation, leaving room for `tail` characters behind them.

    `stages` is the indentation of a pipe's stages, None inside brackets, where they stand below each other.
    """
    if not parts:
        return []
    fits = indent + flat_width(parts) + tail <= WIDTH
    if fits and not is_forced(parts):
        return [" " * indent + flat(parts)]
    runs = split_at(parts, "|>", keep=True)
    if len(runs) > 1 and (not fits or _is_split(runs)):
        lines = _run(runs[0], indent, stages, 0)
        for i, stage in enumerate(runs[1:], 2):
            behind = tail if i == len(runs) else 0
            lines += _run(stage, indent if stages is None else stages, stages, behind)
        return lines
    return _Builder(parts, indent, tail).lines(soft=stages is None)


def _is_split(runs: list[list[Part]]) -> bool:
    """Whether a pipe's stages stand on lines of their own already, or must because of a comment."""
    for run in runs[1:]:
        pipe = first_word(run[0])
        if pipe.starts_line or pipe.before:
            return True
    return any(last_word(run[-1]).after is not None for run in runs[:-1] if run)


class _Builder:
    """Puts parts on lines, breaking more and more brackets until all lines fit."""

    __slots__ = ("_broken", "_current", "_indent", "_lines", "_long", "_parts", "_tail")

    def __init__(self, parts: list[Part], indent: int, tail: int) -> None:
        self._parts = parts
        self._indent = indent
        self._tail = tail
        self._broken = {id(part) for part in parts if isinstance(part, Group) and part.forced}

    def lines(self, *, soft: bool) -> list[str]:
        """The lines; with `soft`, as inside brackets, also broken where no brackets are."""
        self._break_long_lines()
        self._build(soft=False)
        if soft and self._long:
            self._build(soft=True)
        return self._lines

    def _break_long_lines(self) -> None:
        """Breaks the widest brackets of each line that is too long, which makes it two, until none can be broken."""
        parts, last = self._parts, len(self._parts)
        ends = [0]  # where each part ends if all of them are on one line
        for part in parts:
            width = part.width if isinstance(part, Group) else len(part.text)
            ends.append(ends[-1] + width + space_before(part))
        lines = self._lines_as_written()
        while lines:
            start, end, closes, opens = lines.pop()
            width = self._indent + closes + ends[end] - ends[start]
            if start < end and not closes and space_before(parts[start]):
                width -= 1
            if opens:
                width += 1 + (space_before(parts[end]) and (start < end or closes))
            elif end == last:
                width += self._tail
            if width <= WIDTH:
                continue
            widest, at = 0, -1
            for i in range(start, end):
                part = parts[i]
                if isinstance(part, Group) and part.parts and part.width > widest:
                    widest, at = part.width, i
            if at >= 0:
                self._broken.add(id(parts[at]))
                lines += [(start, at, closes, True), (at + 1, end, True, opens)]

    def _lines_as_written(self) -> list[tuple[int, int, bool, bool]]:
        """The lines that comments and brackets which have to be broken leave: the first part and the one behind the
        last, whether they start with the end of broken brackets, and whether they end with the start of some."""
        lines: list[tuple[int, int, bool, bool]] = []
        start, closes = 0, False
        for i, part in enumerate(self._parts):
            if first_word(part).before:
                lines.append((start, i, closes, False))
                start, closes = i, False
            if id(part) in self._broken:
                lines.append((start, i, closes, True))
                start, closes = i + 1, True
            if last_word(part).after is not None:
                lines.append((start, i + 1, closes, False))
                start, closes = i + 1, False
        return [*lines, (start, len(self._parts), closes, False)]

    def _build(self, *, soft: bool) -> None:
        self._lines: list[str] = []
        self._long = False
        self._begin()
        for run in _soft_runs(self._parts) if soft else [self._parts]:
            if (
                len(self._current) > self._indent
                and len(self._current) + 1 + flat_width(run) > WIDTH - self._tail
            ):
                self._flush()
            for part in run:
                self._add(part)
        self._flush(self._tail)

    def _begin(self) -> None:
        self._current = " " * self._indent

    def _flush(self, tail: int = 0, comment: str | None = None) -> None:
        """Ends the current line, if there is anything on it."""
        if len(self._current) > self._indent:
            self._long = self._long or len(self._current) + tail > WIDTH
            self._lines.append(self._current + (f"  {comment}" if comment else ""))
        self._begin()

    def _add(self, part: Part) -> None:
        first = first_word(part)
        if first.before:
            self._flush()
            self._lines += [" " * self._indent + comment for comment in first.before]
        if space_before(part) and len(self._current) > self._indent:
            self._current += " "
        if isinstance(part, Word):
            self._current += part.text
        elif id(part) in self._broken:
            self._current += part.open.text
            self._flush(comment=part.open.after)
            self._lines += _contents(part, self._indent + STEP)
            self._current += part.close.text
        else:
            self._current += flat([part])
        if last_word(part).after is not None:
            self._flush(comment=last_word(part).after)


def _soft_runs(parts: list[Part]) -> list[list[Part]]:
    """Parts cut where a line break may stand inside brackets."""
    runs: list[list[Part]] = [[]]
    for part in parts:
        if first_word(part).soft and runs[-1]:
            runs.append([])
        runs[-1].append(part)
    return runs


def _contents(group: Group, indent: int) -> list[str]:
    """What is in brackets that are broken: an item to a line, with a comma after the last one where it may be."""
    items = split_at(group.parts, ",", keep=False)
    if items and not items[-1]:
        items.pop()
    lines: list[str] = []
    if len(items) > 1 or group.takes_comma or (items and _is_comma(items[-1][-1])):
        for i, item in enumerate(items, 1):
            lines += _item(item, indent, comma=group.takes_comma or i < len(items))
    elif items:
        lines += _run(items[0], indent, None, 0)
    return lines + [" " * indent + comment for comment in group.close.before]


def _is_comma(part: Part) -> bool:
    return isinstance(part, Word) and part.kind == ","


def _item(item: list[Part], indent: int, *, comma: bool) -> list[str]:
    """One item with the comma behind it, and the comments next to the comma."""
    behind: list[str] = []
    if _is_comma(item[-1]):
        separator = first_word(item[-1])
        item = item[:-1]
        behind = [*separator.before, *([separator.after] if separator.after else [])]
    lines, comment = _without_comment(item, indent, None, int(comma))
    if comment is not None:
        behind.insert(0, comment)
    if comma:
        lines[-1] += ","
    if behind:
        lines[-1] += f"  {behind[0]}"
    return lines + [" " * indent + comment for comment in behind[1:]]
