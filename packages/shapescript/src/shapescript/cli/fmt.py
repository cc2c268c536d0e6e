"""`shapescript fmt`."""

from __future__ import annotations

import os
import sys

from shapescript.cli import inputs, output
from shapescript.cli.failures import CommandError, named, reason
from shapescript.writing import write_whole
from shapescript_syntax.diagnostics import has_errors
from shapescript_syntax.formatting import format_source
from shapescript_syntax.parsing.files import parse_file
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source

_DESCRIPTION = """\
Lays .ss files out in the one canonical way. Comments are kept, and what a program means never changes.
Files that don't parse are left as they are.
"""

_EPILOG = """\
examples:
  shapescript fmt model.ss            rewrite a file
  shapescript fmt src                 every .ss file below a folder
  shapescript fmt --check src         change nothing; for continuous integration
  shapescript fmt --diff model.ss     change nothing; show what would change
  shapescript fmt - < model.ss        from standard input to standard output

exit codes:
  0  every file is laid out, or was already
  1  with --check or --diff, a file isn't laid out; or one doesn't parse
  2  the command line is wrong, or a file can't be read or written
"""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code."""
    parser = output.parser("fmt", _DESCRIPTION, _EPILOG)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .ss file, a folder, or - for stdin")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and say which files would change"
    )
    parser.add_argument("--diff", action="store_true", help="write nothing, and show how files would change")
    output.add_color(parser)
    options = parser.parse_args(arguments)

    code = 0
    for path in inputs.expand(options.files):
        try:
            before, after = _laid_out(path, options.color)
        except CommandError as error:
            print(f"shapescript: error: {error}", file=sys.stderr)
            code = 2
            continue
        if after is None:
            code = max(code, 1)
        elif options.check or options.diff:
            if after != before:
                code = max(code, 1)
                output.write(_difference(path, before, after) if options.diff else f"{path} would change\n")
        elif path == inputs.STDIN:
            output.write(after)
        elif after != before:
            _replace(path, after)
            output.write(f"{path} laid out\n")
    return code


def _laid_out(path: str, color: str) -> tuple[str, str | None]:
    """A file's text as it is, and as it should be; None, and diagnostics are printed, if it doesn't parse."""
    text, problem = inputs.read(path)
    source = Source(inputs.shown(path), text)
    found = [problem] if problem is not None else parse_file(source, {}).diagnostics()
    if has_errors(found):
        shown = render("text", [(source, found)], color=output.use_color(color, sys.stderr))
        output.write(shown, sys.stderr)
        return text, None
    # Line ends are a matter of the platform and the repository, not of layout.
    windows = "\r\n" in text
    after = format_source(text.replace("\r\n", "\n"))
    return text, after.replace("\n", "\r\n") if windows else after


def _difference(path: str, before: str, after: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, f"{path} (laid out)"
    )
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def _replace(path: str, text: str) -> None:
    target = os.path.realpath(path)
    try:
        write_whole(target, text.encode("utf-8"), os.stat(target).st_mode & 0o777)
    except OSError as error:
        raise CommandError(f"cannot write {named(path)}: {reason(error)}") from error
