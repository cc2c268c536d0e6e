"""The exception of a program that doesn't compile, raised from the line that is wrong."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import CodeType
from typing import Any

from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.spans import Source


class ShapeScriptError(Exception):
    """A .ss file that has errors. Its text shows all of them, as `shapescript check` does.

    It is no ImportError, so that code which tries an import and does without it doesn't hide a mistake.
    """

    __module__ = "shapescript"

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        """`diagnostics` have been located in `source`, and at least one is an error."""
        super().__init__(source, diagnostics)
        self.source = source
        self.diagnostics = tuple(diagnostics)

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.source.path

    def __str__(self) -> str:
        from shapescript_syntax.rendering.text import render

        count = sum(d.is_error for d in self.diagnostics)
        shown = render([(self.source, self.diagnostics)]).rstrip("\n")
        return f"{self.path} has {count} {'error' if count == 1 else 'errors'}\n\n{shown}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.source.path, self.source.text, self.diagnostics)


def _restore(path: str, text: str, diagnostics: Sequence[Diagnostic]) -> ShapeScriptError:
    return ShapeScriptError(Source(path, text), diagnostics)


_PLACEHOLDER = "the error"


def code_that_raises(error: ShapeScriptError) -> CodeType:
    """The code of a module that raises `error` from the place of its first error.

    The last entry of the traceback is then that line of the .ss file, with Python's own carets, and a
    debugger that stops on uncaught exceptions stops there. The exception is a constant of the code.
    """
    first = next(d for d in error.diagnostics if d.is_error)
    source = error.source
    size = len(source.text)
    start = min(first.span.start, size)
    line, column = _utf8_position(source, start)
    end_line, end_column = _utf8_position(source, min(max(first.span.end, start), size))
    if (end_line, end_column) == (line, column):
        end_column += 1
    constant = ast.Constant(value=_PLACEHOLDER)
    statement = ast.Raise(exc=constant, cause=None)
    for node in (statement, constant):
        node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = (
            line,
            column,
            end_line,
            end_column,
        )
    module = ast.Module(body=[statement], type_ignores=[])
    code = compile(module, source.path, "exec")
    return code.replace(co_consts=tuple(error if c == _PLACEHOLDER else c for c in code.co_consts))


def _utf8_position(source: Source, offset: int) -> tuple[int, int]:
    """A line, and a column counted from 0 in bytes of UTF-8, as Python's compiler does."""
    line, column = source.position(offset)
    start = source.line_starts[line - 1]
    return line, len(source.text[start : start + column - 1].encode("utf-8", "surrogatepass"))
