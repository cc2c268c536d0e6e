"""Packages that were built by a newer compiler than this one, whose .ss files it may not understand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import shapescript

if TYPE_CHECKING:
    from shapescript_syntax.diagnostics import Diagnostic
    from shapescript_syntax.spans import Span

BUILD_FILE = "shapescript-build.toml"
"""What a wheel has beside its .ss files."""


def build_file(folder: str, compiler: str) -> str:
    """The text of the file that says which compiler built a folder's .ss files, and for which runtime."""
    import shapescript_runtime

    return (
        f"# What built the .ss files of {folder}.\n"
        f'compiler = "{compiler}"\n'
        f'runtime = "{shapescript_runtime.__version__}"\n'
    )


def newer_compiler(folder: str) -> str | None:
    """The version of the compiler that built an installed package's folder, if this one is too old for it.

    Releases with the same first two numbers have the same language. None means that this compiler will do, as it
    does for folders that were never built.
    """
    try:
        with open(os.path.join(folder, BUILD_FILE), "rb") as file:
            data = file.read()
    except OSError:
        return None
    import tomllib

    from shapescript_runtime.releases import minor

    try:
        version = tomllib.loads(data.decode("utf-8")).get("compiler")
    except ValueError:
        return None
    is_newer = isinstance(version, str) and minor(version) > minor(shapescript.__version__)
    return version if is_newer else None


def too_old(file: str, version: str, span: Span) -> Diagnostic:
    """E2901, for a .ss file of a folder whose `newer_compiler` is `version`.

    Arguments:
        file: the .ss file, as it is to be shown.
        version: the compiler that built it.
        span: the import, or the file's start where Python imports it.
    """
    from shapescript_runtime.releases import minor
    from shapescript_syntax.diagnostics import Diagnostic

    first, second = minor(version)
    return Diagnostic(
        "E2901",
        f"`{file}` was built by ShapeScript {version}, and this is {shapescript.__version__}",
        span,
        label=f"needs ShapeScript {first}.{second}",
        help=f"`pip install --upgrade 'shapescript>={first}.{second}'`",
    )
