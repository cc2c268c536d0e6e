"""From a .ss file to a module."""

from __future__ import annotations

import os
from importlib.machinery import SourceFileLoader
from types import CodeType

from shapescript.importing import cache
from shapescript.modes import CheckModes
from shapescript.packaging.newer import BUILD_FILE, newer_compiler, too_old


class Loader(SourceFileLoader):
    """Loads one .ss file.

    Running the code is left to Python's own loader, and a file with errors gives code that raises them: so no
    traceback shows how modules are loaded, only the .ss file's lines.
    """

    def __init__(self, fullname: str, path: str, modes: CheckModes) -> None:
        super().__init__(fullname, path)
        self._modes = modes

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, after bringing the Python module beside the file up to date if there is an older one."""
        code = self.compiled(fullname)
        path = self.get_filename(fullname)
        if _has_older_module(path):
            # Only here are the module's declarations needed, and with them the compiler.
            from shapescript.pymodules.files import refresh

            refresh(path)
        return code

    def compiled(self, fullname: str) -> CodeType:
        """The module's code, from the cache if everything that decides it is as it was."""
        path = self.get_filename(fullname)
        data = self.get_data(path)
        version = newer_compiler(os.path.dirname(path))
        if version is not None:
            return _refusal(path, data, version)
        key = cache.key(data, path, self._modes)
        kept = cache.load(path, self._modes, key)
        if kept is not None:
            return kept
        # Only here is the compiler needed, and loaded.
        from shapescript.compiling import compile_bytes
        from shapescript.errors import ShapeScriptError, code_that_raises
        from shapescript.importing.files import Files
        from shapescript.importing.finding import search_path

        files = Files(search_path())
        result = compile_bytes(data, path, self._modes, files)
        if isinstance(result, ShapeScriptError):
            return code_that_raises(result)
        cache.store(path, self._modes, key, result, cache.imported(files))
        return result

    def get_source(self, fullname: str) -> str:
        """The text of the file."""
        from shapescript_syntax.reading import decode

        path = self.get_filename(fullname)
        try:
            data = self.get_data(path)
        except OSError as error:
            raise ImportError("the source can't be read", name=fullname, path=path) from error
        return decode(data)[0]


def _refusal(path: str, data: bytes, version: str) -> CodeType:
    """Code that raises the error of a file that a newer compiler than this one built."""
    from shapescript.errors import ShapeScriptError, code_that_raises
    from shapescript_syntax.reading import decode
    from shapescript_syntax.spans import Source, Span

    source = Source(path, decode(data)[0])
    first = Span(0, len(source.line(1)))
    return code_that_raises(ShapeScriptError(source, [too_old(os.path.basename(path), version, first)]))


_INSTALLED = frozenset({"site-packages", "dist-packages"})


def _has_older_module(path: str) -> bool:
    """Whether a Python module beside a .ss file is older than it. Installed ones stay as they were installed."""
    try:
        older = os.stat(os.path.splitext(path)[0] + ".py").st_mtime_ns < os.stat(path).st_mtime_ns
    except OSError:
        return False
    if not older or not _INSTALLED.isdisjoint(path.split(os.sep)):
        return False
    # A package may be installed in any folder; what was built says so.
    return not os.path.exists(os.path.join(os.path.dirname(path), BUILD_FILE))
