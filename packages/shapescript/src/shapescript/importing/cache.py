"""Compiled code kept between runs: beside the .ss file, or in the user's cache folder.

An entry holds a digest of everything that decides the code: the source and its path, the compiler, Python's
own byte code, the check modes and -O. An entry whose digest differs, or that is damaged, is as good as none.
Files are put in place whole, so of processes that import at once each reads one entry or the other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import MAGIC_NUMBER, cache_from_source
from types import CodeType
from typing import TYPE_CHECKING

from shapescript.folders import cache_folder
from shapescript.importing.fingerprint import fingerprint
from shapescript.modes import DEFAULT, CheckModes
from shapescript.writing import write_whole

if TYPE_CHECKING:
    from shapescript.importing.files import Files

_HEADER = b"shapescript 3\n"
_SIZE = 32


def key(data: bytes, path: str, modes: CheckModes) -> bytes:
    """A digest of what decides the code of the file at `path` with the bytes `data`."""
    parts = (data, os.fsencode(path), fingerprint(), MAGIC_NUMBER, *(m.encode() for m in modes))
    # Each part's size keeps two lists of parts with the same bytes in a row apart.
    sizes = ",".join(str(len(part)) for part in parts)
    return _digest(f"{sizes};{sys.flags.optimize};".encode() + b"".join(parts))


Imported = tuple[str, str, str, str, bytes]
"""An import that code was compiled with: the module, the importing file's folder, the path that the file was found by,
which is in the code, the file without links, and its digest."""


def imported(files: Files) -> list[Imported]:
    """What was imported through `files`, which found everything."""
    from shapescript_check.modules.files import Found

    found = []
    for (module, folder), file in files.answers.items():
        assert isinstance(file, Found)
        digest = _digest(file.text.encode("utf-8", "surrogatepass"))
        found.append((module, folder, file.path, file.identity, digest))
    return found


def load(path: str, modes: CheckModes, key: bytes) -> CodeType | None:
    """The code that was stored under `key`, or None. It is none anymore once an import would find another file, or
    one with another text."""
    for file in _places(path, modes):
        try:
            with open(file, "rb") as stream:
                entry = stream.read()
        except OSError:
            continue
        start = len(_HEADER)
        payload = entry[start + 2 * _SIZE :]
        if entry[: start + _SIZE] != _HEADER + key or entry[start + _SIZE : start + 2 * _SIZE] != _digest(
            payload
        ):
            continue
        import marshal

        try:
            imports, code = marshal.loads(payload)
        except (EOFError, ValueError, TypeError):
            continue
        if isinstance(code, CodeType) and all(_is_as_it_was(*entry) for entry in imports):
            return code
    return None


def _is_as_it_was(module: str, folder: str, path: str, identity: str, digest: bytes) -> bool:
    from shapescript.importing.finding import find_file, search_path
    from shapescript_syntax.reading import decode

    file = find_file(module, folder, search_path())
    if file is None or file != path or os.path.realpath(file) != identity:
        return False
    try:
        with open(file, "rb") as stream:
            text, _ = decode(stream.read())
    except OSError:
        return False
    return _digest(text.encode("utf-8", "surrogatepass")) == digest


def store(path: str, modes: CheckModes, key: bytes, code: CodeType, imports: Sequence[Imported] = ()) -> None:
    """Keeps the code of the file at `path`, and what it imported. Where nothing can be written, nothing is kept."""
    if sys.dont_write_bytecode:
        return
    import marshal

    payload = marshal.dumps((list(imports), code))
    entry = _HEADER + key + _digest(payload) + payload
    for file in _places(path, modes):
        try:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            # As private as the source, but writable, so that a later version of the file can replace it.
            write_whole(file, entry, os.stat(path).st_mode & 0o666 | 0o200)
        except OSError:
            continue
        return


def _places(path: str, modes: CheckModes) -> tuple[str, str]:
    """Where the entry of a file may be: beside it, and for folders that can't be written, with the user."""
    beside = cache_from_source(path)
    folder, name = os.path.split(beside)
    tags = "" if modes == DEFAULT else "." + "-".join(modes)
    name = name.removesuffix(".pyc") + tags + ".ssc"
    user = os.path.join(cache_folder(), "modules", _digest(os.fsencode(path)).hex()[:32], name)
    return os.path.join(folder, name), user


def _digest(data: bytes) -> bytes:
    from hashlib import blake2b

    return blake2b(data, digest_size=_SIZE).digest()
