"""The catalogue's Markdown for a terminal: headings, paragraphs, lists and fenced blocks."""

from __future__ import annotations

import re
import shutil
import textwrap

from shapescript_syntax.rendering.rows import paint

_CODE = re.compile(r"`([^`]+)`")
_ITEM = re.compile(r"(?:[-*]|\d+\.) +")
_WIDEST = 100


def to_terminal(markdown: str, *, color: bool = False, width: int | None = None) -> str:
    """The text of a Markdown file for a terminal of `width` columns, by default this one's."""
    if width is None:
        width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    blocks = [_block(lines, color, width) for lines in _blocks(markdown)]
    return "\n\n".join(blocks) + "\n"


def _blocks(markdown: str) -> list[list[str]]:
    """The file's lines, cut at headings, at fences, and at empty lines outside them."""
    blocks: list[list[str]] = []
    current: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        fence = line.startswith("```")
        starts = not fenced and (not line.strip() or fence or line.startswith("#"))
        if starts and current:
            blocks.append(current)
            current = []
        if line.strip() or fenced:
            current.append(line)
        if fence and fenced:
            blocks.append(current)
            current = []
        fenced ^= fence
    return [*blocks, current] if current else blocks


def _block(lines: list[str], color: bool, width: int) -> str:
    first = lines[0]
    if first.startswith("#"):
        return paint(_inline(first.lstrip("#").strip(), False), "bold", color)
    if first.startswith("```"):
        return "\n".join(f"    {line}".rstrip() for line in lines[1:-1])
    items: list[list[str]] = [[]]
    for line in lines:
        if _ITEM.match(line):
            items.append([line])
        else:
            items[-1].append(line.strip())
    return "\n".join(_wrapped(" ".join(item), color, width) for item in items if item)


def _wrapped(text: str, color: bool, width: int) -> str:
    bullet = _ITEM.match(text)
    indent = " " * len(bullet[0]) if bullet else ""
    # Code is kept together while lines are filled, by spaces that textwrap doesn't break at.
    joined = _CODE.sub(lambda code: code[0].replace(" ", "\0"), text)
    rows = textwrap.wrap(
        joined, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return _inline("\n".join(rows).replace("\0", " "), color)


def _inline(text: str, color: bool) -> str:
    """Code spans lose their backticks only where colour sets them apart."""
    return _CODE.sub(lambda code: paint(code[1], "code", color), text) if color else text
