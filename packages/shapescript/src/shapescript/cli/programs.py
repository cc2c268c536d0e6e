"""Programs, run in this process as Python itself would run them."""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType

import shapescript
from shapescript.cli import children, uncaught
from shapescript.cli.failures import CommandError, named, reason


def file(path: str, arguments: list[str]) -> Callable[[], int]:
    """A program that is a file, ready to run.

    Raises:
        CommandError: if it can't be read.
    """
    try:
        with io.open_code(os.path.abspath(path)) as stream:
            data = stream.read()
    except OSError as error:
        raise CommandError(f"cannot read {named(path)}: {reason(error)}") from error
    except ValueError as error:  # a NUL in the path
        raise CommandError(f"cannot read {named(path)}: {error}") from error

    def run() -> int:
        _prepare(path, arguments, os.path.dirname(os.path.abspath(path)))
        if path.endswith(".ss"):
            return _call_main(path)
        _run_python(os.path.abspath(path), data)
        return 0

    return run


def module(name: str, arguments: list[str]) -> Callable[[], int]:
    """A program that is a module, ready to run."""

    def run() -> int:
        from importlib.util import find_spec

        from shapescript.importing.loader import Loader

        _prepare(name, arguments, os.getcwd())
        try:
            spec = find_spec(name)
        except ModuleNotFoundError as error:
            # A package above it may be missing; what that package misses is its own affair.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            spec = None
        if spec is None:
            print(f"shapescript: error: no module named {name}", file=sys.stderr)
            return 2
        if isinstance(spec.loader, Loader):
            from importlib import import_module

            sys.argv[0] = spec.loader.path
            return _main_of(import_module(name), spec.loader.path)
        import runpy

        runpy.run_module(name, run_name="__main__", alter_sys=True)
        return 0

    return run


def _prepare(program: str, arguments: list[str], folder: str) -> None:
    """Makes the process look as it does to a program that Python was started with."""
    sys.argv = [program, *arguments]
    if not sys.flags.safe_path:
        # The first folder is that of this command, or for `python -m` the current one.
        sys.path[0] = folder
    shapescript.install()
    children.reach()
    uncaught.install(__file__)


def _run_python(path: str, data: bytes) -> None:
    main = ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    code = compile(data, path, "exec", dont_inherit=True)
    assert isinstance(code, CodeType)
    exec(code, main.__dict__)


def _call_main(path: str) -> int:
    """Imports a .ss file under its own name and calls its `main`."""
    from importlib.util import module_from_spec

    from shapescript.importing.finder import spec_of
    from shapescript.modes import DEFAULT

    name = os.path.splitext(os.path.basename(path))[0]
    spec = spec_of(name, os.path.abspath(path), DEFAULT)
    loaded = module_from_spec(spec)
    if name not in sys.modules:
        sys.modules[name] = loaded
    assert spec.loader is not None
    spec.loader.exec_module(loaded)
    return _main_of(loaded, path)


def _main_of(loaded: ModuleType, path: str) -> int:
    main = getattr(loaded, "main", None)
    if not callable(main):
        print(f"shapescript: error: {path} has no `fn main()` to call", file=sys.stderr)
        return 2
    code = getattr(main, "__code__", None)
    if code is not None and code.co_argcount + code.co_kwonlyargcount > 0:
        print(
            f"shapescript: error: `main` of {path} takes parameters, so it can't be called", file=sys.stderr
        )
        return 2
    main()
    return 0
