"""Brackets that don't pair: which one to blame, and where the parser should take it to be closed."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from shapescript_syntax.diagnostics import Diagnostic, Fix, Label
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import NEWLINE, STRING, Tokens

_CLOSING: Final = {"(": ")", "[": "]"}
_OPENING: Final = {")": "(", "]": "["}
_BEGINS_STATEMENT: Final = frozenset({"return", "for", "if", "else"})
_OPENS_BLOCK: Final = frozenset({"fn", "extern", "ident", "for", "if", "else"})


def may_mix(kinds: list[str]) -> bool:
    """Whether brackets outside others may differ, as in the interval of a domain: `(0, 1]`."""
    return next((kind for kind in kinds if kind is not NEWLINE), "") == "domain"


class _Open:
    """An opening bracket: its token's offset, and the number and indentation of its line."""

    __slots__ = ("indent", "kind", "line", "start")

    def __init__(self, kind: str, start: int, line: int, indent: int) -> None:
        self.kind = kind
        self.start = start
        self.line = line
        self.indent = indent


def repair(raw: Tokens) -> Tokens:
    """The same tokens with balanced brackets, and diagnostics that say what was wrong.

    A closing bracket without a partner is left out (E0105), and one that was never typed is added, without
    width, where the statement that its opening bracket is in seems to end (E0106).
    """
    return _Repair(raw).run()


class _Repair:
    __slots__ = ("counts", "indent", "line", "line_first", "mixed", "out", "raw", "stack", "unterminated")

    def __init__(self, raw: Tokens) -> None:
        self.raw = raw
        self.out = Tokens(raw.text)
        self.out.comments, self.out.diagnostics = raw.comments, raw.diagnostics
        self.stack: list[_Open] = []
        self.counts = {"(": 0, "[": 0}
        self.mixed = may_mix(raw.kinds)
        self.unterminated = {d.span.start for d in raw.diagnostics if d.code == "E0102"}
        self.line = 0
        self.indent = 0
        self.line_first = ""

    def run(self) -> Tokens:
        raw, out = self.raw, self.out
        self._begin_line(0, 0)
        for i, kind in enumerate(raw.kinds):
            start, end = raw.starts[i], raw.ends[i]
            if kind is NEWLINE:
                self._end_line(i)
                out.add(kind, start, end)
                self._begin_line(i + 1, end)
            elif kind in _CLOSING:
                self.stack.append(_Open(kind, start, self.line, self.indent))
                self.counts[kind] += 1
                out.add(kind, start, end)
            elif kind in _OPENING:
                self._close(i)
            else:
                out.add(kind, start, end)
        last = len(out.kinds)
        while last and out.kinds[last - 1] is NEWLINE:
            last -= 1
        self._close_all(last)
        return out

    def _pop(self) -> _Open:
        opened = self.stack.pop()
        self.counts[opened.kind] -= 1
        return opened

    def _begin_line(self, first: int, line_start: int) -> None:
        self.line += 1
        if first < len(self.raw.kinds):
            if not self.stack:
                self.line_first = self.raw.kinds[first]
            self.indent = self.raw.starts[first] - line_start

    def _end_line(self, newline: int) -> None:
        """Closes what can't go on past the end of this line."""
        raw, out, stack = self.raw, self.out, self.stack
        if not stack:
            return
        if self.unterminated and self._has_unterminated():
            # The string has swallowed the brackets that its line closes.
            while stack and stack[-1].line == self.line:
                self._add_closer(self._pop(), len(out.kinds))
        following = newline + 1
        if not stack or following >= len(raw.kinds) or raw.kinds[following] is NEWLINE:
            return
        kind = raw.kinds[following]
        indent = raw.starts[following] - raw.ends[newline]
        if (
            out.kinds[-1] == ":"
            and self.line_first in _OPENS_BLOCK
            and indent > stack[0].indent
            and kind != "["
        ):
            self._close_all(len(out.kinds) - 1)
        elif kind in _BEGINS_STATEMENT or (
            indent <= stack[0].indent and kind not in _OPENING and kind != "|>"
        ):
            self._close_all(len(out.kinds))

    def _has_unterminated(self) -> bool:
        kinds = self.out.kinds
        return bool(kinds) and kinds[-1] is STRING and self.out.starts[-1] in self.unterminated

    def _close(self, i: int) -> None:
        """A closing bracket: pairs it, or finds out what is wrong with it."""
        raw, stack = self.raw, self.stack
        kind, start, end = raw.kinds[i], raw.starts[i], raw.ends[i]
        if not stack:
            self._report_unmatched(kind, start)
            return
        if _CLOSING[stack[-1].kind] == kind or (self.mixed and len(stack) == 1):
            self._pop()
            self.out.add(kind, start, end)
            return
        expected = _CLOSING[stack[-1].kind]
        if len(stack) > 1 and _CLOSING[stack[-2].kind] == kind and self._follows(i, expected):
            # Two that are swapped, as in `f(x[0)]`.
            self._report_mismatched(kind, start, stack[-1], swapped=True)
            raw.kinds[i + 1] = kind
            self._pop()
            self.out.add(expected, start, end)
            return
        if self.counts[_OPENING[kind]]:
            unclosed = []
            while _CLOSING[stack[-1].kind] != kind:
                unclosed.append(self._pop())
            self._close_each(unclosed, len(self.out.kinds))
            self._pop()
            self.out.add(kind, start, end)
            return
        self._report_mismatched(kind, start, stack[-1])
        self.out.damaged.append(Span(self.out.ends[-1], start + 1))
        if not self._follows(i, expected):
            self._pop()
            self.out.add(expected, start, end)

    def _follows(self, i: int, kind: str) -> bool:
        return i + 1 < len(self.raw.kinds) and self.raw.kinds[i + 1] == kind

    def _close_all(self, at: int) -> None:
        self._close_each(self.stack[::-1], at)
        self.stack.clear()
        self.counts = {"(": 0, "[": 0}

    def _close_each(self, unclosed: list[_Open], at: int) -> None:
        """Reports unclosed brackets, innermost first, and closes them before the token `at` of the output."""
        closers = [_CLOSING[opened.kind] for opened in unclosed]
        end = self.out.ends[at - 1] if at else 0
        for _, group in groupby(unclosed, key=lambda opened: opened.line):
            self._report_unclosed(list(group), end)
        self.out.kinds[at:at] = closers
        self.out.starts[at:at] = [end] * len(closers)
        self.out.ends[at:at] = [end] * len(closers)
        if unclosed:
            self.out.damaged.append(Span(unclosed[-1].start, end))

    def _add_closer(self, opened: _Open, at: int) -> None:
        end = self.out.ends[at - 1]
        self.out.add(_CLOSING[opened.kind], end, end)
        self.out.damaged.append(Span(opened.start, end))

    def _report_unclosed(self, unclosed: list[_Open], end: int) -> None:
        outermost = unclosed[-1]
        missing = "".join(_CLOSING[opened.kind] for opened in unclosed)
        subject = (
            f"`{outermost.kind}` is" if len(unclosed) == 1 else f"{len(unclosed)} brackets of this line are"
        )
        shown = missing if len(missing) < 20 else missing[:20] + "…"
        self.out.report(
            Diagnostic(
                "E0106",
                f"{subject} never closed",
                Span(outermost.start, outermost.start + 1),
                label="opened here",
                help=f"add `{shown}` where it should end",
                fixes=(Fix(f"add `{shown}`", ((Span(end, end), missing),)),),
            )
        )

    def _report_unmatched(self, kind: str, start: int) -> None:
        # What is missing before it, as in `f = )`, goes with it.
        self.out.damaged.append(Span(self.out.ends[-1] if self.out.ends else 0, start + 1))
        self.out.report(
            Diagnostic(
                "E0105",
                f"`{kind}` closes nothing",
                Span(start, start + 1),
                label=f"no `{_OPENING[kind]}` before it is open",
                help=f"delete it, or add the missing `{_OPENING[kind]}`",
                fixes=(Fix("delete it", ((Span(start, start + 1), ""),)),),
            )
        )

    def _report_mismatched(self, kind: str, start: int, opened: _Open, swapped: bool = False) -> None:
        expected = _CLOSING[opened.kind]
        after = self.raw.text.index(expected, start) if swapped else start
        edits: tuple[tuple[Span, str], ...] = ((Span(start, start + 1), expected),)
        if swapped:
            edits = (*edits, (Span(after, after + 1), kind))
        help = f"write `{expected}{kind}`" if swapped else f"write `{expected}`"
        self.out.report(
            Diagnostic(
                "E0105",
                f"`{kind}` can't close `{opened.kind}`",
                Span(start, start + 1),
                label=f"expected `{expected}`",
                labels=(Label(Span(opened.start, opened.start + 1), "opened here"),),
                help=help,
                fixes=(Fix(help, edits),),
            )
        )
