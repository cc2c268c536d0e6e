"""Modules of packages that were built by shapescript.build, as Python imports them."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

from .built import built_code, digest, read_built
from .errors import OutdatedRuntimeError
from .finding import located
from .releases import is_older


class BuiltLoader(SourceFileLoader):
    """Loads a .ss file that was built and has no typed module, without the compiler."""

    def get_code(self, fullname: str) -> CodeType:
        return _code(fullname, self.path)


def load(namespace: dict[str, Any], file: str) -> None:
    """Puts what a .ss file defines in place of the declarations of its typed module, whose last line calls this.

    If there is no compiler, or the file and what it imports are as the same compiler found them when the package
    was built, that is the code that was built. Otherwise it is compiled.

    Arguments:
        namespace: the module's globals.
        file: the module's file, which is in a package made by shapescript.build.

    Raises:
        OutdatedRuntimeError: if the package was built for a newer runtime.
        ImportError: if nothing was built and there is no compiler.
        shapescript.ShapeScriptError: if the file is compiled and has errors.
    """
    source = os.path.splitext(os.path.abspath(file))[0] + ".ss"
    refuse_archive(namespace["__name__"], file, source)
    hook = compiler()
    if hook is not None and not _is_current(source, hook.version(), hook.modes()):
        import_module("shapescript.pymodules").load(namespace, file)
        return
    code = _code(namespace["__name__"], source)
    forget_declarations(namespace)
    exec(code, namespace)


def refuse_archive(name: str, file: str, source: str) -> None:
    """Raises ImportError for a module in a zip archive, whose .ss file can't be found beside it."""
    folder = os.path.dirname(os.path.abspath(file))
    if not os.path.isdir(folder):
        raise ImportError(
            f"{name} is in an archive, {folder}: modules of .ss files need files beside them, so unpack it, or install "
            "it with pip",
            name=name,
            path=source,
        )


def forget_declarations(namespace: dict[str, Any]) -> None:
    """Takes a typed module's declarations out of its globals, before the compiled file runs there.

    They may be older than the file: none may stay that it doesn't define any more.
    """
    for declared in [n for n in namespace if not (n.startswith("__") and n.endswith("__"))]:
        del namespace[declared]


def _is_current(source: str, version: str, modes: tuple[str, str]) -> bool:
    """Whether the compiler would make the code that was built of a .ss file, and of all that it imports."""
    found = read_built(source)
    if found is None or (found.compiler, found.modes) != (version, tuple(modes)):
        return False
    for dotted, expected in found.files.items():
        if not dotted:
            if not _has_digest(source, expected):
                return False
            continue
        imported = located(source, dotted)
        if imported is None or not _has_digest(f"{imported.stem}.ss", expected):
            return False
        # The standard library is as the compiler's version says.
        if not dotted.startswith("shapescript.") and not _is_current(f"{imported.stem}.ss", version, modes):
            return False
    return True


def _has_digest(file: str, expected: str) -> bool:
    try:
        with open(file, "rb") as stream:
            return digest(stream.read()) == expected
    except OSError:
        return False


def _code(name: str, source: str) -> CodeType:
    """The code that was built of a .ss file."""
    found = read_built(source)
    if found is None:
        raise uncompiled(name, source)
    version = import_module("shapescript_runtime").__version__
    if is_older(version, found.runtime):
        raise OutdatedRuntimeError(
            f"{name} was built for shapescript-runtime {found.runtime}, and {version} is installed: "
            f"`pip install --upgrade 'shapescript-runtime>={found.runtime}'`",
            name=name,
            path=source,
        )
    return built_code(found, source)


def compiler() -> Any:
    """The compiler's import hook, whether or not it is installed as one, or None without a compiler.

    It is asked for by name, and only in this file: the runtime works without it.
    """
    try:
        return import_module("shapescript.importing")
    except ModuleNotFoundError:
        return None


def hook_modes() -> tuple[str, ...] | None:
    """The check modes of the compiler's import hook, or None where Python doesn't import .ss files by itself."""
    hook = sys.modules.get("shapescript.importing")
    return tuple(hook.modes()) if hook is not None and hook.is_installed() else None


def install_hook(modes: tuple[str, ...]) -> None:
    """Lets a process that was started for another one import what that one can, whose `hook_modes` are given."""
    compiler().install(*modes)


def uncompiled(name: str, source: str) -> ImportError:
    """What to raise where there is nothing to run."""
    return ImportError(
        f"{source} isn't compiled and there is no compiler: `pip install shapescript`, or build its package with "
        "the build backend shapescript.build",
        name=name,
        path=source,
    )
