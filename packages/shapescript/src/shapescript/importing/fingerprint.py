"""What compiler this is, as far as the code it makes is concerned."""

from __future__ import annotations

import os
import re
import sys
from functools import cache

import shapescript

_PACKAGES = ("shapescript_syntax", "shapescript_check")
_OWN = ("compiling.py", "modes.py")  # the files of this package that decide what code comes out
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
_NO_COMPILER = ("__pycache__", "catalogue", "formatting", "pymodules", "rendering")


@cache
def fingerprint() -> bytes:
    """A digest that differs between compilers which may make different code, worked out once per process."""
    from hashlib import blake2b

    lines: list[str] = []
    for package in _PACKAGES:
        for folder in _folders(package):
            lines += _installed(folder) or _files(package, folder)
    own = os.path.dirname(os.path.abspath(shapescript.__file__))
    lines += [shapescript.__version__]
    lines += _installed(own) or [_line(name, os.stat(os.path.join(own, name))) for name in _OWN]
    return blake2b("\n".join(sorted(lines)).encode(), digest_size=16).digest()


def _folders(package: str) -> list[str]:
    """A package's folders, found without importing it."""
    module = sys.modules.get(package)
    if module is not None:
        return list(module.__path__)
    from importlib.util import find_spec

    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def _installed(folder: str) -> list[str]:
    """For a package that was installed, the list of its files with their digests, which changes with any of them.

    A version alone doesn't tell two states of a repository apart that pip installed one after the other.
    """
    packages, name = os.path.split(folder)
    if os.path.basename(packages) not in ("site-packages", "dist-packages"):
        return []
    version = _VERSION.search(_text(os.path.join(folder, "__init__.py")))
    if version is None:
        return []
    record = os.path.join(packages, f"{name}-{version[1]}.dist-info", "RECORD")
    try:
        return [_text(record)]
    except OSError:
        return []  # installed by something else than pip


def _text(file: str) -> str:
    with open(file, encoding="utf-8") as stream:
        return stream.read()


def _files(name: str, folder: str) -> list[str]:
    """For a package in a source tree, which changes without a new version: all files, and when they changed."""
    lines = []
    with os.scandir(folder) as entries:
        for entry in entries:
            inside = f"{name}/{entry.name}"
            if entry.name.endswith((".py", ".ss")):
                lines.append(_line(inside, entry.stat()))
            elif entry.name not in _NO_COMPILER and entry.is_dir():
                lines += _files(inside, entry.path)
    return lines


def _line(name: str, stat: os.stat_result) -> str:
    return f"{name} {stat.st_size} {stat.st_mtime_ns}"
