"""`shapescript pymodules`."""

from __future__ import annotations

import sys

from shapescript.cli import inputs, output
from shapescript.cli.failures import CommandError, named, reason
from shapescript.pymodules.files import ModuleFile
from shapescript_check import Checker
from shapescript_check.modules.files import Importer
from shapescript_check.pymodules import hand_written
from shapescript_syntax.diagnostics import Diagnostic, has_errors
from shapescript_syntax.rendering import render
from shapescript_syntax.spans import Source, Span

_DESCRIPTION = """\
Writes the Python module beside each .ss file: model.py for model.ss. It declares the file's dims, functions,
models and records with Python types and their documentation, which is what editors, mypy and pyright read
of `import model`. When Python imports it, it compiles the .ss file and puts that in place.
"""

_EPILOG = """\
examples:
  shapescript pymodules model.ss       write model.py
  shapescript pymodules src            the module of every .ss file below a folder
  shapescript pymodules --check src    write nothing; for continuous integration

A .py file that wasn't generated is never replaced; it is warned of (W2501). A file with errors is reported,
and its module stays as it was. The modules can be committed, or ignored and generated where they are needed.

exit codes:
  0  every module is there and up to date, now or with --check already
  1  a file has errors; or with --check, a module is missing or out of date
  2  the command line is wrong, or a file can't be read or written
"""


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code."""
    parser = output.parser("pymodules", _DESCRIPTION, _EPILOG)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .ss file, or a folder")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and say what is missing or out of date"
    )
    output.add_python(parser)
    output.add_color(parser)
    options = parser.parse_args(arguments)

    color = output.use_color(options.color, sys.stderr)
    checker = Checker()
    importer = inputs.Importing(options.python)
    code = 0
    for path in inputs.expand(options.files):
        try:
            module = _module(checker, importer, path, color)
            done = module is not None and _bring_up_to_date(module, options.check)
        except CommandError as error:
            print(f"shapescript: error: {error}", file=sys.stderr)
            code = 2
            continue
        code = max(code, int(not done))
    return code


def _module(checker: Checker, importer: Importer, path: str, color: bool) -> ModuleFile | None:
    """The module of a file, or None for one with errors. Diagnostics are printed."""
    if not path.endswith(".ss"):
        what = "standard input has no place for one" if path == inputs.STDIN else "that isn't a .ss file"
        raise CommandError(f"no module for {named(path)}: {what}")
    text, problem = inputs.read(path)
    if problem is not None:
        _show(Source(path, text), [problem], color)
        return None
    program = checker.check(path, text, importer=importer)
    _show(program.source, [d for d in program.diagnostics if d.severity != "hint"], color)
    if has_errors(program.diagnostics):
        return None
    try:
        module = ModuleFile(program)
    except OSError as error:
        raise CommandError(f"cannot read {named(error.filename or path)}: {reason(error)}") from error
    if module.is_hand_written:
        source = Source(module.path, module.found or "")
        _show(source, [hand_written(path, Span(0, len(source.line(1))))], color)
    return module


def _bring_up_to_date(module: ModuleFile, check: bool) -> bool:
    """Writes a module if that is needed, and says so. With `check`, only says whether it is up to date."""
    if module.is_hand_written:
        return True
    if check:
        if not module.is_current:
            wrong = "is missing" if module.found is None else "is out of date"
            output.write(f"{module.path} {wrong}\n")
        return module.is_current
    was_current = module.is_current
    try:
        module.write()
    except OSError as error:
        raise CommandError(f"cannot write {named(module.path)}: {reason(error)}") from error
    if not was_current:
        output.write(f"{module.path} written\n")
    return True


def _show(source: Source, found: list[Diagnostic], color: bool) -> None:
    output.write(render("text", [(source, found)], color=color), sys.stderr)
