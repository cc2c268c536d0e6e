"""`shapescript check`."""

from __future__ import annotations

import sys

from shapescript.cli import inputs, output
from shapescript.cli.failures import CommandError
from shapescript_check import Checker
from shapescript_check.modules.files import Importer
from shapescript_syntax.diagnostics import Diagnostic
from shapescript_syntax.rendering import FORMATS, Report, render
from shapescript_syntax.spans import Source

_DESCRIPTION = """\
Checks .ss files: names, shapes, dtypes, value domains, and everything else that decides whether they
compile. Nothing is run, and PyTorch isn't loaded.
"""

_EPILOG = """\
examples:
  shapescript check model.ss                       one file
  shapescript check src tests/programs             every .ss file below two folders
  shapescript check --output-format json model.ss  for a script
  cat model.ss | shapescript check -               from standard input

The .ss files that a file imports are checked with it. They are found beside it, in the folders of
$PYTHONPATH, and among the packages that pip installed.

output formats:
  text    an excerpt of the source with the problem underlined, and a summary
  json    an array of objects with code, severity, message, file, line, column, end_line, end_column,
          labels, notes and help; lines and columns count from 1, columns in characters
  github  annotations for GitHub Actions
  sarif   a SARIF 2.1.0 log for code scanning

exit codes:
  0  no errors (there may be warnings and hints)
  1  errors
  2  the command line is wrong, or a file can't be read
"""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code."""
    files, output_format, color, python = _options(arguments)
    return _check(files, output_format, output.use_color(color, sys.stdout), inputs.Importing(python))


def _options(arguments: list[str]) -> tuple[list[str], str, str, str | None]:
    """The files, the output format, when to use colours, and the interpreter to ask for installed packages."""
    if arguments and not any(a.startswith("-") and a != inputs.STDIN for a in arguments):
        return arguments, "text", "auto", None  # as in most runs, which need not load argparse
    parser = output.parser("check", _DESCRIPTION, _EPILOG)
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a .ss file, a folder, or - for standard input"
    )
    parser.add_argument("--output-format", choices=FORMATS, default="text", help="how to write diagnostics")
    output.add_python(parser)
    output.add_color(parser)
    options = parser.parse_args(arguments)
    return options.files, options.output_format, options.color, options.python


def _check(files: list[str], output_format: str, color: bool, importer: Importer) -> int:
    checker = Checker()
    reports: list[Report] = []
    unreadable = False
    for path in inputs.expand(files):
        try:
            report = check_file(checker, path, importer)
        except CommandError as error:
            print(f"shapescript: error: {error}", file=sys.stderr)
            unreadable = True
            continue
        reports.append(report)
        if output_format == "text":
            output.write(render("text", [report], color=color))
    if output_format == "text":
        if reports:
            output.write(summary(reports))
    else:
        output.write(render(output_format, reports))
    if unreadable:
        return 2
    return int(any(d.is_error for _, found in reports for d in found))


def check_file(checker: Checker, path: str, importer: Importer) -> Report:
    """Checks one file.

    Raises:
        CommandError: if it can't be read.
    """
    text, problem = inputs.read(path)
    name = inputs.shown(path)
    if problem is not None:
        return Source(name, text), [problem]
    program = checker.check(name, text, hints=True, importer=importer)
    return program.source, program.diagnostics


def summary(reports: list[Report]) -> str:
    """One line that says how it went."""
    found: list[Diagnostic] = [d for _, diagnostics in reports for d in diagnostics]
    files = _count(len(reports), "file")
    if not found:
        return f"{files} checked, no problems\n"
    kinds = [(kind, sum(d.severity == kind for d in found)) for kind in ("error", "warning", "hint")]
    counts = [_count(number, kind) for kind, number in kinds if number]
    listed = counts[0] if len(counts) == 1 else f"{', '.join(counts[:-1])} and {counts[-1]}"
    return f"{files} checked, {listed}\n"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
