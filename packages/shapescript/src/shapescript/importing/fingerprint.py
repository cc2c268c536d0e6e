"""What compiler this is, as far as the code it makes is concerned."""

from __future__ import annotations

import os
import sys
from functools import cache

import shapescript

_PACKAGES = ("shapescript_syntax", "shapescript_check")
_OWN = ("compiling.py", "modes.py")  # the files of this package that decide what code comes out


@cache
def fingerprint() -> bytes:
    """A digest of the names, sizes and times of change of the compiler's files, made once per process.

    A version would do for a compiler that is installed and never changed. One that is worked on changes
    without a new version, and must not be given code that an earlier state of it made.
    """
    from hashlib import blake2b

    lines = []
    for package in _PACKAGES:
        for folder in _folders(package):
            lines += _files(package, folder)
    own = os.path.dirname(os.path.abspath(shapescript.__file__))
    lines += [_line(name, os.stat(os.path.join(own, name))) for name in _OWN]
    return blake2b("\n".join(sorted(lines)).encode(), digest_size=16).digest()


def _folders(package: str) -> list[str]:
    """A package's folders, found without importing it."""
    module = sys.modules.get(package)
    if module is not None:
        return list(module.__path__)
    from importlib.util import find_spec

    spec = find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec is not None else []


def _files(name: str, folder: str) -> list[str]:
    lines = []
    with os.scandir(folder) as entries:
        for entry in entries:
            inside = f"{name}/{entry.name}"
            if entry.name.endswith((".py", ".ss")):
                lines.append(_line(inside, entry.stat()))
            elif entry.name not in ("__pycache__", "catalogue") and entry.is_dir():
                lines += _files(inside, entry.path)
    return lines


def _line(name: str, stat: os.stat_result) -> str:
    return f"{name} {stat.st_size} {stat.st_mtime_ns}"
