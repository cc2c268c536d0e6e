"""From source text to Python code, for the import hook and for programs that compile text themselves."""

from __future__ import annotations

import builtins
import itertools
import linecache
import os
import threading
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from shapescript.device_choice import disagreement, normalized
from shapescript.errors import ShapeScriptError, code_that_raises
from shapescript.modes import CheckModes
from shapescript_syntax.diagnostics import has_errors
from shapescript_syntax.reading import decode
from shapescript_syntax.spans import Source

if TYPE_CHECKING:
    from shapescript.importing.files import Files
    from shapescript_check import Checker
    from shapescript_check.program import Program

_lock = threading.Lock()
_checker: Checker | None = None


def compile_bytes(data: bytes, path: str, modes: CheckModes, files: Files) -> CodeType | ShapeScriptError:
    """As `compile_source`, for the bytes of a file."""
    text, problem = decode(data)
    if problem is not None:
        return ShapeScriptError(Source(path, text), [problem])
    return compile_source(text, path, modes, files=files)


def compile_source(
    text: str, path: str, modes: CheckModes, devices: str | None = None, files: Files | None = None
) -> CodeType | ShapeScriptError:
    """The code of a module for a file's text, or its errors, which are for the caller to raise.

    Arguments:
        text: the source.
        path: the file's path, which tracebacks name.
        modes: when the code checks what it is given.
        devices: what a `devices` line would say, as `device_choice.normalized` gives it, or None.
        files: finds the files that it imports; without it, they are looked for as in a program that runs here.
    """
    from shapescript.importing.files import Files
    from shapescript.importing.finding import search_path
    from shapescript_check.codegen import Options, files_of_functions, generate

    # The checker keeps what it found out for the next file, which several importing threads would race for.
    with _lock:
        program = _the_checker().check(path, text, importer=files or Files(search_path()))
        # Hints are for editors and `shapescript check`.
        shown = [d for d in program.diagnostics if d.severity != "hint"]
        if devices is not None and (other := disagreement(program, devices)) is not None:
            shown.append(other)
        if has_errors(shown):
            return ShapeScriptError(program.source, shown)
        module = generate(
            program, Options(checks=modes.checks, value_checks=modes.value_checks, devices=devices)
        )
        placed = files_of_functions(program)
    code = builtins.compile(module, path, "exec", dont_inherit=True)
    if not placed:
        return code
    from shapescript_runtime.built import in_their_files

    return in_their_files(code, placed)


def checked_file(path: str) -> Program | None:
    """The checked program of a file; None for one that has errors.

    Raises:
        OSError: if it can't be read.
    """
    from shapescript.importing.files import Files
    from shapescript.importing.finding import search_path

    with open(path, "rb") as file:
        text, problem = decode(file.read())
    if problem is not None:
        return None
    with _lock:
        program = _the_checker().check(path, text, importer=Files(search_path()))
    return None if program.has_errors else program


def _the_checker() -> Checker:
    global _checker
    if _checker is None:
        from shapescript_check import Checker

        _checker = Checker()
    return _checker


_numbers = itertools.count(1)


def compile(
    src: str,
    path: str = "<string>",
    *,
    devices: str | None = None,
    checks: str = "always",
    value_checks: str = "debug",
) -> ModuleType:
    """Compiles the text of a program to a new module, whose attributes are the compiled functions.

    The module isn't put in `sys.modules`: what becomes of it is up to the caller.

    Arguments:
        src: the text of a .ss file.
        path: the name that diagnostics and tracebacks give it. The module is named after it. Programs without
            one are numbered, so that a traceback shows the lines of the right one.
        devices: where the program runs, such as "cpu" or "cuda[0]", if the text has no `devices` line.
        checks: when shapes, devices and models are checked: "always", "debug" (not under -O) or "off".
        value_checks: when values are checked against domains; the same words.

    Raises:
        ShapeScriptError: if the text has errors. It carries and shows all diagnostics.
        ValueError: if a mode isn't one of the three words, or `devices` is no device.
    """
    modes = CheckModes(checks, value_checks).validated()
    path = os.fspath(path)
    if path == "<string>":
        path = f"<shapescript {next(_numbers)}>"
    result = compile_source(src, path, modes, None if devices is None else normalized(devices))
    code = code_that_raises(result) if isinstance(result, ShapeScriptError) else result
    if not os.path.exists(path):
        # Without a time of change, linecache takes the lines to be those of something that isn't a file.
        linecache.cache[path] = (len(src), None, src.splitlines(keepends=True), path)
    stem = os.path.splitext(os.path.basename(path))[0]
    module = ModuleType(stem if stem.isidentifier() else "shapescript_program")
    module.__file__ = path
    exec(code, module.__dict__)
    return module
