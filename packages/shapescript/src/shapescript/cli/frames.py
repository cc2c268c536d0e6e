"""The frames of a traceback as places in source text."""

from __future__ import annotations

import ast
import linecache
import os
from types import CodeType, TracebackType

from shapescript.cli.output import short
from shapescript_syntax.spans import Source, Span


class Frame:
    """One entry of a traceback: the code, its source, and the span of what it was doing."""

    def __init__(self, trace: TracebackType) -> None:
        self.code = trace.tb_frame.f_code
        variables = trace.tb_frame.f_globals
        # The compiler's own names start so; no other module has the runtime under this one.
        self.is_compiled = "_ss_rt" in variables
        file = self.code.co_filename
        self.source = Source(short(file), "".join(linecache.getlines(file, variables)))
        self._place = _place(trace)
        self.span = _span(self.source, self._place)

    @property
    def function(self) -> str:
        """The function's name, as its author wrote it."""
        from shapescript_check.codegen.names import written_name

        return written_name(self.code.co_name) if self.is_compiled else self.code.co_name

    def argument(self, callee: CodeType, parameter: str) -> Span | None:
        """What this frame's call of `callee` gives for a parameter, or None if it can't be told."""
        tree = self._tree()
        names = callee.co_varnames[: callee.co_argcount + callee.co_kwonlyargcount]
        if tree is None or parameter not in names:
            return None
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _place_of(node) == self._place:
                given = _given(node, names, parameter)
                return None if given is None else _span(self.source, _place_of(given))
        return None

    def _tree(self) -> ast.Module | None:
        """The Python of this frame's file, each node at its place in the source."""
        if not self.is_compiled:
            try:
                return ast.parse(self.source.text)
            except (SyntaxError, ValueError):
                return None
        from shapescript.importing.files import Files
        from shapescript.importing.finding import search_path
        from shapescript_check import Checker
        from shapescript_check.codegen import Options, generate

        program = Checker().check(self.code.co_filename, self.source.text, importer=Files(search_path()))
        return None if program.has_errors else generate(program, Options())


def frames_of(trace: TracebackType | None) -> list[Frame]:
    """The frames that have source text, outermost first, down to the call into the runtime."""
    frames = []
    while trace is not None:
        frame = Frame(trace)
        if frame.source.text:
            frames.append(frame)
        trace = trace.tb_next
    while frames and _is_runtime(frames[-1].code.co_filename):
        frames.pop()
    return frames


_Place = tuple[int, int, int, int]  # first line from 1, last line, first column from 0 in UTF-8, end column


def _place(trace: TracebackType) -> _Place:
    positions = list(trace.tb_frame.f_code.co_positions())
    line, end_line, column, end_column = positions[trace.tb_lasti // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return trace.tb_lineno, trace.tb_lineno, 0, 0
    return line, end_line, column, end_column


def _place_of(node: ast.expr) -> _Place:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def _given(call: ast.Call, names: tuple[str, ...], parameter: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    index = names.index(parameter)
    before = call.args[: index + 1]
    if len(before) <= index or any(isinstance(argument, ast.Starred) for argument in before):
        return None
    return before[index]


def _span(source: Source, place: _Place) -> Span:
    line, end_line, column, end_column = place
    start = _offset(source, line, column)
    if (end_line, end_column) == (line, column):
        # Only the line is known: all of it that isn't indentation.
        text = source.line(line) if line <= len(source.line_starts) else ""
        return Span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
    return Span(start, max(start, _offset(source, end_line, end_column)))


def _offset(source: Source, line: int, column: int) -> int:
    if line > len(source.line_starts):
        return len(source.text)
    prefix = source.line(line).encode("utf-8", "surrogatepass")[:column]
    return source.line_starts[line - 1] + len(prefix.decode("utf-8", "ignore"))


def _is_runtime(file: str) -> bool:
    parts = file.replace(os.sep, "/").split("/")
    return "shapescript_runtime" in parts
