"""Indentation, as INDENT and DEDENT tokens."""

from __future__ import annotations

from shapescript_syntax.diagnostics import Diagnostic, Fix
from shapescript_syntax.spans import Span
from shapescript_syntax.tokens import DEDENT, INDENT, LAYOUT, NEWLINE, Tokens

_TAB = 4
"""The spaces that a tab is taken for, once it has been reported."""


class _Misfit:
    """Lines of one indentation that fits no block: those that would fit, outermost first, and the lines."""

    __slots__ = ("fitting", "lines")

    def __init__(self, fitting: list[int], line: Span) -> None:
        self.fitting = fitting
        self.lines = [line]


class Indentation:
    """The open blocks of a chunk, from its first line to its last."""

    __slots__ = ("_levels", "_misfits", "_mistaken", "_out", "_raw", "_tabs")

    def __init__(self, raw: Tokens, out: Tokens) -> None:
        self._raw = raw
        self._out = out
        self._levels = [0]
        # Indentations that fit no block, with the levels that they were taken for, and the lines that have them.
        self._mistaken: dict[int, int] = {}
        self._misfits: dict[int, _Misfit] = {}
        self._tabs: list[Span] = []

    def begin_line(self, first: int, line_start: int) -> None:
        """Opens or closes blocks before a line, whose first token in `raw` is `first`."""
        raw, levels = self._raw, self._levels
        if first >= len(raw.kinds) or raw.kinds[first] is NEWLINE:
            return
        start = raw.starts[first]
        space = raw.text[line_start:start]
        width = len(space) if not space.strip(" ") else self._odd_width(space, line_start)
        if width == levels[-1]:
            return
        if width in self._mistaken:
            self._misfits[width].lines.append(Span(line_start, start))
            width = self._mistaken[width]
            if width == levels[-1]:
                return
        if width > levels[-1]:
            levels.append(width)
            self._out.add(INDENT, start, start)
            return
        inner = levels[-1]
        while width < levels[-1]:
            inner = levels.pop()
            if levels[-1] >= width:
                self._out.add(DEDENT, start, start)
        if width > levels[-1]:
            self._mistaken[width] = inner
            self._misfits[width] = _Misfit([*levels, inner], Span(line_start, start))
            levels.append(inner)

    def end(self) -> None:
        """Closes what is open, at the end of the chunk."""
        out, end = self._out, len(self._raw.text)
        if out.kinds and out.kinds[-1] not in LAYOUT:
            out.add(NEWLINE, end, end)
        for _ in self._levels[1:]:
            out.add(DEDENT, end, end)
        if self._tabs:
            self._report_tabs()
        else:
            for width, misfit in self._misfits.items():
                self._report_misfit(width, misfit)

    def _odd_width(self, space: str, line_start: int) -> int:
        """The width of indentation with something else than spaces in it."""
        width = 0
        for char in space:
            if char == "\t":
                width += _TAB - width % _TAB
            elif char == " ":
                width += 1
        if "\t" in space:
            first = space.index("\t")
            self._tabs.append(Span(line_start + first, line_start + space.rindex("\t") + 1))
        return width

    def _report_tabs(self) -> None:
        edits = tuple((span, " " * (_TAB * (span.end - span.start))) for span in self._tabs)
        more = len(self._tabs) - 1
        lines = f"{more} more line{'s' if more > 1 else ''} of this declaration"
        self._out.report(
            Diagnostic(
                "E0103",
                "this line is indented with a tab",
                self._tabs[0],
                label="only spaces may indent",
                notes=(f"so {'are' if more > 1 else 'is'} {lines}",) if more else (),
                help=f"indent with {_TAB} spaces for each block",
                fixes=(Fix("replace the tabs by spaces", edits),),
            )
        )

    def _report_misfit(self, width: int, misfit: _Misfit) -> None:
        fitting = misfit.fitting
        choices = " or ".join([", ".join(map(str, fitting[:-1])), str(fitting[-1])])
        edits = tuple((line, " " * fitting[-1]) for line in misfit.lines)
        self._out.report(
            Diagnostic(
                "E0104",
                "this line's indentation matches no block that is open",
                misfit.lines[0],
                label=f"indented by {width}",
                help=f"indent it by {choices} spaces",
                fixes=(Fix(f"indent it by {fitting[-1]} spaces", edits),),
            )
        )
